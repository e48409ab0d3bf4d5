# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the RETURN block of every module, and the lists of the baseline: `python -m tests.documentation`.

Older releases of ansible-core take no documentation fragments for RETURN, so the text is generated into the modules.
Keys and types come from the declarations of the resources and from the TypedDicts of the results, sentences from
descriptions.yml, and samples from runs of the modules against the local service.
"""
