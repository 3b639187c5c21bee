import type { BuildReport } from "../../../../core/artifact/build-report.ts";
import type { RunBuilder } from "./build-run.ts";

const limitMilliseconds = 60_000;
const maxReportBytes = 64 * 1024 * 1024;

/**
 * Runs the builder in a separate process, so that an upload can neither block nor crash this one. The process gets the
 * project's variables without its secrets, the archive, no environment, and a minute.
 */
export function builderProcess(command: string[], egress: "any" | "public"): RunBuilder {
  return async (archive, variables, signal) => {
    const timeout = AbortSignal.timeout(limitMilliseconds);
    const builder = Bun.spawn([...command, `--egress=${egress}`], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      env: {},
      maxBuffer: maxReportBytes,
      signal: AbortSignal.any([signal, timeout]),
      killSignal: "SIGKILL",
    });
    const output = new Response(builder.stdout).bytes();
    const stderr = new Response(builder.stderr).text();
    try {
      builder.stdin.write(`${JSON.stringify(variables)}\n`);
      for await (const chunk of archive) {
        builder.stdin.write(chunk);
        await builder.stdin.flush();
      }
      await builder.stdin.end();
    } catch {
      // The process ended before it had read everything; its report has the reason.
    }
    const code = await builder.exited;
    signal.throwIfAborted();
    if (timeout.aborted) return failure(`The build took longer than ${limitMilliseconds / 1000} seconds.`);
    const bytes = await output;
    if (bytes.length >= maxReportBytes) return failure(`The build's report exceeds ${maxReportBytes / 2 ** 20} MiB.`);
    if (code === 0) return reportOf(bytes);
    throw new Error(`The builder ended with code ${code}: ${(await stderr).slice(0, 2000)}`);
  };
}

/** Not an interruption: the next attempt would have the same result. */
function reportOf(bytes: Uint8Array): BuildReport {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    return failure(`The build's report of ${bytes.length} bytes cannot be read: ${(error as Error).message}`);
  }
}

function failure(message: string): BuildReport {
  return { failedStep: "build", durations: {}, warnings: [], errors: [{ file: "", line: 0, column: 0, message }] };
}
