#!/usr/bin/env bash
# Guard (PreToolUse, Bash): refuses commands that this team does not want to see run.
# Exit 2 denies the call; what stands on stderr goes to the model as the reason.
set -u
command=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["tool_input"]["command"])') ||
  exit 1 # input that nobody understands; the settings say "onFailure": "block"

case $command in
  *"git push"*--force* | *"git push"*" -f"*)
    echo "Force pushes are closed here: push to a new branch and open a pull request." >&2
    exit 2
    ;;
  *"git commit"*--no-verify*)
    echo "Commit hooks stay on: fix what they report and commit without --no-verify." >&2
    exit 2
    ;;
  *"curl "*"|"*sh* | *"wget "*"|"*sh*)
    echo "Do not pipe a download into a shell: save it, read it, then run it." >&2
    exit 2
    ;;
esac
exit 0
