import { availableParallelism } from "node:os";

/** What `work` takes on a quiet machine of the kind that the tests' own times were measured on. */
const quietMilliseconds = 150;
const maxSlowdown = 10;

/** A computation without memory or files, so that it is slow only if other processes use the cores. */
const work = `
  const started = performance.now();
  let state = 1;
  for (let round = 0; round < 100_000_000; round++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  if (state === 0) throw new Error("xorshift never reaches 0");
  console.log(performance.now() - started);
`;

/** How many times longer a computation on every core takes than on a quiet machine: from 1 to 10. */
export async function measureSlowdown(): Promise<number> {
  const times = await Promise.all(Array.from({ length: availableParallelism() }, measure));
  const slowdown = Math.max(...times) / quietMilliseconds;
  return Math.round(Math.min(Math.max(slowdown, 1), maxSlowdown) * 10) / 10;
}

async function measure(): Promise<number> {
  const child = Bun.spawn([process.execPath, "-e", work], { stdio: ["ignore", "pipe", "inherit"] });
  return Number(await child.stdout.text());
}
