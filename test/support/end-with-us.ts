import { spawn } from "node:child_process";

export interface Watch {
  release(): void;
}

/**
 * Kills a process and removes its folder when this process ends, even by SIGKILL: a shell waits until the kernel closes
 * the pipe from this process.
 */
export function endWithUs(processId: number, folder = ""): Watch {
  const shell = spawn("sh", ["-c", watch, "sh", String(processId), folder], { stdio: ["pipe", "ignore", "ignore"] });
  shell.unref();
  return { release: () => shell.kill("SIGKILL") };
}

/**
 * Ctrl-C reaches every process of the terminal, including this shell, which must survive it to clean up. SIGQUIT makes
 * PostgreSQL stop immediately with its children.
 */
const watch = `
  trap '' INT TERM HUP
  cat
  kill -QUIT "$1"
  sleep 0.3
  kill -KILL "$1"
  if [ -n "$2" ]; then rm -rf -- "$2"; fi
`;
