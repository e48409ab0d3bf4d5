# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Custom rules as public repositories and pages have them: actions, and expressions. Addresses and hosts are those of examples."""

from __future__ import annotations

BLOCK, CHALLENGE, LOG = "block", "managed_challenge", "log"
REST, PRODUCTS, PHASES = "rest", "products", "phases"  # of what a skip skips

PUBLIC_RULES: list[tuple[str, str]] = [
    (REST, '(http.host eq "mail.example" and http.request.uri.path eq "/v1/ingest" and http.request.method eq "POST")'),
    (REST,
     '(http.host eq "auth.example" and (ends_with(http.request.uri.path, "/.well-known/openid-configuration") '
     'or starts_with(http.request.uri.path, "/application/o/token") or ends_with(http.request.uri.path, '
     '"/jwks/") or http.request.uri.path contains "/jwks/"))'),
    (REST, "(ip.geoip.asnum eq 64496 and cf.bot_management.score gt 30)"),
    (PRODUCTS, "(ip.geoip.asnum eq 64496 and cf.threat_score lt 14)"),
    (REST, '(ip.src eq 203.0.113.1 and http.host eq "example.com" and cf.bot_management.score gt 30)'),
    (PHASES, '(ip.src eq 203.0.113.1 and http.host eq "example.com")'),
    (REST,
     '(http.user_agent contains "Metorik API Client") or (http.user_agent contains "Wordfence Central API") or '
     '(http.request.uri.query contains "wc-api=wc_shipstation") or (http.user_agent eq "Better Uptime Bot") or '
     '(http.user_agent eq "ShortPixel")'),
    (BLOCK,
     '(http.user_agent contains "nessus") or (http.user_agent contains "sqlmap") or (http.user_agent contains '
     '"nikto") or (http.user_agent contains "masscan")'),
    (BLOCK,
     '(http.request.uri.path contains "/.env") or (http.request.uri.path contains "/.git/") or '
     '(http.request.uri.path contains "/.aws/") or (http.request.uri.path contains "/config.php")'),
    (BLOCK, '(http.request.uri.path contains "/.git/")'),
    (BLOCK, '(http.request.uri.path contains "/.DS_Store")'),
    (BLOCK, '(http.request.uri.path contains "/xmlrpc.php")'),
    (CHALLENGE, '(http.request.uri.path contains "/wp-login.php" or http.request.uri.path contains "/xmlrpc.php")'),
    (CHALLENGE,
     '((http.request.uri.path contains "/wp-login.php") or (http.request.uri.path contains "/wp-admin/" and '
     'not http.request.uri.path contains "/wp-admin/admin-ajax.php" and not http.request.uri.path contains '
     '"/wp-admin/theme-editor.php")) and ip.src ne 192.0.2.1'),
    (BLOCK,
     '((http.request.uri.path contains "/xmlrpc.php") or (http.request.uri.path contains "/wp-login.php") or '
     '(http.request.uri.path contains "/wp-admin/" and not http.request.uri.path contains '
     '"/wp-admin/admin-ajax.php")) and ip.geoip.country ne "GR"'),
    (CHALLENGE,
     '(http.request.uri.path contains "/wp-login.php" and not cf.client.bot) or '
     '(starts_with(http.request.uri.path, "/wp-admin/") and not http.request.uri.path contains '
     '"/wp-admin/admin-ajax.php")'),
    (BLOCK,
     '(http.request.uri.path contains "/wp-admin") or (http.request.uri.path contains "/wp-login.php") or '
     '(http.request.uri.path contains "/xmlrpc.php") or (http.request.uri.path contains "/wp-content/")'),
    (BLOCK, '(http.request.uri.path contains "/wp-admin")'),
    (BLOCK, '(http.request.uri.path contains "/wp-login.php")'),
    (CHALLENGE,
     '(http.request.uri.path contains "/login" and http.request.method eq "POST") or (http.request.uri.path '
     'contains "/signin" and http.request.method eq "POST")'),
    (CHALLENGE, '(http.user_agent eq "")'),
    (BLOCK, "len(http.user_agent) == 0"),
    (BLOCK,
     '(http.request.uri.path contains "/phpmyadmin") or (http.user_agent contains "sqlmap") or '
     '(http.user_agent contains "nmap") or (http.user_agent eq "") or (http.request.method eq "TRACE")'),
    (BLOCK, '(http.request.method eq "TRACE")'),
    (BLOCK, "(cf.threat_score gt 14)"),
    (BLOCK, "cf.threat_score > 14"),
    (BLOCK, "(not cf.edge.server_port in {80 443})"),
    (BLOCK, "(not cf.edge.server_port in {800 443})"),
    (CHALLENGE, "(cf.waf.credential_check.username_and_password_leaked)"),
    (BLOCK, '(cf.waf.content_scan.has_malicious_obj and http.request.uri.path eq "/upload.php")'),
    (BLOCK, '(ip.geoip.country in {"CN" "IN" "KP" "RU"})'),
    (BLOCK, '(ip.src.country eq "KP") or (ip.src.country eq "RU")'),
    (CHALLENGE, '(ip.geoip.country ne "CA")'),
    (BLOCK, '(ip.src.country eq "T1") or (ip.src.continent eq "T1") or (not cf.client.bot and cf.threat_score gt 15)'),
    (CHALLENGE, '(not cf.client.bot and not http.user_agent contains "Mozilla/5.0")'),
    (CHALLENGE, '(http.request.full_uri wildcard r"*://chat.example/*") or (http.request.full_uri wildcard r"*://free-chat.example/")'),
    (CHALLENGE, '(not cf.client.bot and cf.threat_score gt 3) or (not cf.client.bot and http.request.version in {"HTTP/1.0" "HTTP/1.1"})'),
    (BLOCK, '(cf.client.bot) or (http.user_agent contains "sqlmap") or (http.user_agent contains "nikto") or (http.user_agent contains "masscan")'),
    (BLOCK, "(cf.client.bot) or (cf.threat_score gt 14)"),
    (CHALLENGE, '(cf.client.bot) or (http.user_agent contains "curl")'),
    (BLOCK, "cf.client.bot"),
    (LOG, '(cf.client.bot) or (http.user_agent contains "Googlebot")'),
    (REST, '(cf.client.bot) or (http.user_agent contains "OAI-AdsBot") or (http.user_agent contains "OAI-SearchBot")'),
    (BLOCK,
     '(http.user_agent contains "ZGrab") or (http.user_agent contains "MJ12bot") or (http.user_agent contains '
     '"AhrefsBot" and not http.request.uri.path matches "^/(robots\\\\.txt|sitemap)") or (http.user_agent eq "")'),
    (CHALLENGE,
     '(http.request.uri.path matches "^/api/(contact|briefings|audit)") and ((cf.client.bot) or '
     '(http.user_agent contains "python-requests") or (http.user_agent contains "curl/"))'),
    (BLOCK, '(http.request.uri.path matches "^/admin/") and not (ip.geoip.country in {"GB" "IN" "AE" "FR" "DE" "US"})'),
    (BLOCK,
     '(http.user_agent contains "Cyotek") or (http.user_agent contains "python") or (http.user_agent eq "Empty '
     'user agent") or (http.user_agent contains "HTTrack") or (not http.request.version in {"HTTP/1.0" '
     '"HTTP/1.1" "HTTP/1.2" "HTTP/2" "HTTP/3"}) or (ip.geoip.country eq "T1")'),
    (BLOCK, '(http.request.uri.query contains "UNION") or (http.request.uri.query contains "SELECT") or (http.request.uri.query contains "DROP")'),
    (BLOCK, '(http.request.uri.query contains "<script>") or (http.request.uri.query contains "javascript:")'),
    (CHALLENGE, '(http.request.uri.path matches "^/api/") or (http.request.uri.path matches "^/services/supabase/")'),
    (BLOCK,
     '(http.user_agent wildcard r"*Expanse*") or (http.user_agent wildcard r"*SemrushBot*") or '
     '(cf.verified_bot_category eq "Search Engine Crawler") or (cf.verified_bot_category eq "AI Crawler") or '
     '(cf.api_gateway.fallthrough_detected)'),
    (BLOCK, '(cf.verified_bot_category eq "AI Crawler")'),
    (BLOCK,
     '(http.request.uri.path ne "/robots.txt" and ((http.user_agent contains "Applebot") or (http.user_agent '
     'contains "bingbot") or (http.user_agent contains "ChatGPT-User") or (http.user_agent contains '
     '"Googlebot")))'),
    (CHALLENGE,
     '(http.request.uri.path wildcard r"/api/*") or (http.request.uri.path contains "/login") or '
     '(http.request.uri.path eq "/administrator") or (http.request.uri.path contains "/checkout")'),
    (BLOCK, '(http.request.uri.path ~ ".*wp-login.php" or http.request.uri.path ~ ".*xmlrpc.php") and ip.src ne 172.16.22.155'),
    (LOG, "ip.src in {10.0.0.0/8 172.16.0.0/12 192.168.0.0/16}"),
    (CHALLENGE, '(http.user_agent contains "zgrab")'),
    (BLOCK, '(http.referer contains "semalt.com") or (http.referer contains "buttons-for-website.com")'),
    (BLOCK, 'lower(http.user_agent) contains "bytespider" or lower(http.user_agent) contains "petalbot"'),
    (CHALLENGE, "true"),
]  # fmt: skip
