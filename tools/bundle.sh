# Sourced by with-node.sh, which sets root, modules and file. Where FILE is the command, lets it run from the one file that
# esbuild makes of all its modules: Node loads hundreds of modules one by one, three times as long. It is a script and no
# module, because V8 keeps the functions that it compiled only of a script (packages/cli/start.ts). The bundle is a cache:
# its name is a digest of the paths, sizes and times of change of all sources (nobody can set that time back), so an old one
# is never used. Where it cannot be made (no esbuild, no GNU find, a folder that cannot be written), or where
# KUBERNODE_BUNDLE=no asks for it, the sources run as they are.

bundles="$modules/.cache/bundle"
# Libraries that every server loads, and that read no files of their own, go into it. The others stay where they are.
inlined='commander ipaddr.js js-yaml re2js'

digest_of_sources() {
  set -- "$root/packages" "$root/tools/bundle.sh"
  for library in $inlined; do set -- "$@" "$modules/$library/"; done
  sources=$(find "$@" -type f ! -name '*.test.ts' \( -name '*.ts' -o -name '*.json' -o -name '*js' -o -name '*.sh' \) \
    -printf '%p %s %C@\n' 2>/dev/null) || return 1
  digest=$(printf '%s' "$sources" | sha256sum) && digest=${digest%% *}
}

# V8 keeps the text, which is a third smaller without white space; lines end early, for a failure shows the whole line.
make_bundle() {
  externals=$(sed -n '/"dependencies"/,/}/ s/^ *"\([^"]*\)": "[0-9].*/\1/p' "$root"/packages/*/package.json |
    grep -v "^@kubernode/\|^\($(echo $inlined | sed 's/ /\\|/g')\)\$" | sort -u | sed 's/.*/--external:& --external:&\/*/')
  # shellcheck disable=SC2086 # words of a list
  "$esbuild" "$root/packages/cli/start.ts" "$root/packages/cli/main.ts" "$root/packages/store/sqlite-worker.ts" \
    --outdir="$made" --entry-names='[name]' --bundle --format=cjs --platform=node --target=node26 \
    --define:import.meta.url=importMeta.url --define:import.meta.resolve=importMeta.resolve \
    --minify-whitespace --line-limit=160 $externals --log-level=silent &&
    printf '{ "type": "commonjs" }\n' >"$made/package.json"
}

# What runs is kept: a thread that starts later is read from it.
remove_others() {
  for other in "$bundles"/*; do
    case "$other" in "$bundle" | "$bundles/*") continue ;; esac
    pgrep -f "${other##*/}" >/dev/null || [ $? -gt 1 ] || rm -rf "$other" || :
  done
}

use_bundle() {
  for esbuild in "$modules"/@esbuild/*/bin/esbuild; do [ -x "$esbuild" ] || return 0; done
  digest_of_sources || return 0
  bundle="$bundles/$digest"
  if ! [ -d "$bundle" ]; then
    made="$bundle.$$"
    # Sources that changed meanwhile are in it by halves. Two may make it at once: the first one stays.
    if make_bundle && digest_of_sources && [ "$bundle" = "$bundles/$digest" ] && mv -T "$made" "$bundle"; then
      remove_others
    else
      rm -rf "$made" || :
    fi 2>/dev/null
  fi
  [ -d "$bundle" ] || return 0
  file="$bundle/start.js"
  # Goes with the bundle.
  NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$bundle/compiled}"
}

if [ "$file" = "$root/packages/cli/main.ts" ] && [ "${KUBERNODE_BUNDLE:-}" != no ]; then use_bundle; fi
