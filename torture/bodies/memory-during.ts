import { descendants, residentMegabytes } from "../process-figures.ts";

const intervalMs = 20;

/** Returns the most megabytes that a server and its sandboxes used during some work. */
export async function memoryDuring(server: { processId: number }, work: () => Promise<void>): Promise<number> {
  let most = 0;
  const sample = () => {
    const processes = [server.processId, ...descendants(server.processId, "workerd")];
    most = Math.max(
      most,
      processes.reduce((sum, id) => sum + residentMegabytes(id), 0),
    );
  };
  const timer = setInterval(sample, intervalMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  sample();
  return most;
}
