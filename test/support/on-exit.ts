import { spawn } from "node:child_process";

export interface Watch {
  release(): void;
}

/**
 * Kills a process and removes its folder when this process ends, even by SIGKILL: a shell waits until the kernel closes
 * the pipe from this process.
 */
export function killOnExit(processId: number, folder = ""): Watch {
  return onExit(killAndRemove, String(processId), folder);
}

/** Removes a folder when this process ends, even by SIGKILL. */
export function removeOnExit(folder: string): Watch {
  return onExit('rm -rf -- "$1"', folder);
}

/** Ctrl-C reaches every process of the terminal, including this shell, which must survive it to clean up. */
function onExit(script: string, ...parameters: string[]): Watch {
  const watch = ["-c", `trap '' INT TERM HUP; cat; ${script}`, "sh", ...parameters];
  const shell = spawn("sh", watch, { stdio: ["pipe", "ignore", "ignore"] });
  shell.unref();
  return { release: () => shell.kill("SIGKILL") };
}

/** SIGQUIT makes PostgreSQL stop immediately with its children. */
const killAndRemove = `
  kill -QUIT "$1"
  sleep 0.3
  kill -KILL "$1"
  if [ -n "$2" ]; then rm -rf -- "$2"; fi
`;
