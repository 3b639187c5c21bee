import { spawnProgram } from "./child-process.ts";
import type { LoadedServer } from "./load-plan.ts";
import { cpuMicrosecondsOfTree } from "./process-cpu.ts";
import type { Sample } from "./sample.ts";

const seconds = 2;

/** TLS handshakes, one after the other: in full, or resuming the first one's session. TLS 1.2, as `s_time` resumes no other. */
export async function handshakes({ port, processId }: LoadedServer, kind: "new" | "reuse"): Promise<Sample> {
  const cpuAtStart = cpuMicrosecondsOfTree(processId);
  const words = ["s_time", "-connect", `127.0.0.1:${port}`, `-${kind}`, "-tls1_2", "-time", String(seconds)];
  const child = spawnProgram(["openssl", ...words]);
  const output = await new Response(child.stdout as ReadableStream).text();
  const cpu = cpuMicrosecondsOfTree(processId) - cpuAtStart;
  // The first figures are of the CPU time of openssl, the last of the time that passed.
  const [, connections, passed] = [...output.matchAll(/^(\d+) connections in (\d+) real seconds/gm)].at(-1) ?? [];
  if ((await child.exited) !== 0 || !Number(connections)) throw new Error(`openssl s_time failed: ${output}`);
  const perSecond = Number(connections) / Number(passed);
  const microseconds = Math.round(1e6 / perSecond);
  return {
    perSecond,
    p50Microseconds: microseconds,
    p99Microseconds: microseconds,
    cpuMicroseconds: cpu / Number(connections),
  };
}
