#!/usr/bin/env node
// Notifier (Notification): shows a desktop notification through the terminal itself.
// OSC 9 is understood by many terminals; the others ignore it.
const fs = require("fs");

const given = JSON.parse(fs.readFileSync(0, "utf8"));
const project = require("path").basename(process.env.CLAUDE_PROJECT_DIR || given.cwd);
const text = given.message;
const plain = `${project}: ${text}`.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ").slice(0, 200);

process.stdout.write(JSON.stringify({ terminalSequence: `\u001b]9;${plain}\u0007` }));
