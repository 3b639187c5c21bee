import { spawn } from "node:child_process";

export interface Watch {
  release(): void;
}

/**
 * Has a process killed, and its folder removed, when this process ends in whatever way, SIGKILL included:
 * a shell waits for the pipe to us to close, which the kernel does for us.
 */
export function endWithUs(processId: number, folder = ""): Watch {
  const shell = spawn("sh", ["-c", watch, "sh", String(processId), folder], { stdio: ["pipe", "ignore", "ignore"] });
  shell.unref();
  return { release: () => shell.kill("SIGKILL") };
}

/**
 * Ctrl-C reaches every process of the terminal, this shell too: it must outlive that to do its work.
 * SIGQUIT has PostgreSQL stop at once and take its children along.
 */
const watch = `
  trap '' INT TERM HUP
  cat
  kill -QUIT "$1"
  sleep 0.3
  kill -KILL "$1"
  if [ -n "$2" ]; then rm -rf -- "$2"; fi
`;
