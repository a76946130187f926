#!/usr/bin/env bash
# Installs what the editor tests drive, into .editors/ of this repository: VS Code (as code-server, from npm, compiling
# nothing), the extension of editors/vscode, the browser driver, and Chromium by the system's package manager where
# there is none; then Vim, Emacs and the system's Neovim, where they can be had. Needs node 20 with npm. What is there
# already stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly version=4.100.3
readonly target="$PWD/.editors"
export npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false

# By the system's package manager, if there is one that we may use.
install_packages() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 0
  apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

need() { # COMMAND PACKAGE..
  local command=$1
  shift
  if command -v "$command" >/dev/null; then return; fi
  install_packages "$@"
  command -v "$command" >/dev/null || { echo "error: the editor tests need '$command'" >&2; exit 1; }
}

install_code_server() {
  local folder="$target/code-server"
  if [ -f "$folder/.installed-$version" ]; then return; fi
  rm -rf "$folder"
  mkdir -p "$folder"
  cd "$folder"
  echo '{"private":true}' >package.json
  npm install --silent --ignore-scripts --no-save "code-server@$version"
  # argon2 is compiled, and serves password logins only.
  rm -rf node_modules/argon2
  mkdir -p node_modules/argon2
  echo '{"name":"argon2","version":"0.0.0","main":"index.js"}' >node_modules/argon2/package.json
  echo 'module.exports = {};' >node_modules/argon2/index.js
  cd node_modules/code-server/lib/vscode
  npm install --silent --omit=dev --ignore-scripts
  ln -sfn node_modules node_modules.asar
  ln -sf code-linux.sh bin/remote-cli/code-server
  ln -sf browser-linux.sh bin/helpers/browser.sh
  cd "$OLDPWD"
  touch "$folder/.installed-$version"
}

install_extension() {
  cd "$1/editors/vscode"
  [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --ignore-scripts
  npm run --silent test >"$target/extension-tests.log" || { cat "$target/extension-tests.log"; exit 1; }
  PYTHON="$1/.venv/bin/python" npm run --silent package >/dev/null
  mv sql-lineage.vsix "$target/sql-lineage.vsix"
}

# Editors that come from the system. The tests of one that is not there are skipped, and say so.
want() { # FILE PACKAGE..
  local file=$1
  shift
  [ -e "$file" ] && return
  install_packages "$@" || true
  [ -e "$file" ] || echo "note: $* could not be installed, the tests of this editor are skipped" >&2
}

want /usr/share/vim-ale vim vim-ale
want /usr/share/emacs/site-lisp/elpa-src emacs-nox elpa-eglot
want /usr/bin/nvim neovim
need node nodejs npm
need npm npm
command -v chromium >/dev/null || command -v google-chrome >/dev/null || need chromium chromium
readonly root="$PWD"
mkdir -p "$target"
(install_code_server)
(install_extension "$root")
(cd "$root/tests/editors" && { [ -d node_modules ] || npm ci --silent --ignore-scripts; })
