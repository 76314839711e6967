#!/usr/bin/env bash
# Context (SessionStart): tells the model where it is, and later commands which stage they are in.
# After exit 0 of this event, plain text on stdout is context for the model.
cd "${CLAUDE_PROJECT_DIR:-.}" || exit 0

if git rev-parse --git-dir >/dev/null 2>&1; then
  echo "Branch: $(git branch --show-current)"
  changed=$(git status --porcelain | wc -l | tr -d ' ')
  echo "Uncommitted files: $changed"
  git log --max-count=3 --format='Commit: %h %s' 2>/dev/null
fi
[ -f NOTES.md ] && { echo "Notes:"; head -n 20 NOTES.md; }

# Lines in this file are sourced before every shell command of the session.
if [ -n "${CLAUDE_ENV_FILE:-}" ]; then
  echo 'export STAGE=dev' >>"$CLAUDE_ENV_FILE"
fi
exit 0
