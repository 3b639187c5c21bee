/** `npm run torture -- [name…] [--long] [--seed N] [--seconds N]`: injects faults, and fails at the first broken promise. */
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres.ts";
import { long, short } from "./effort.ts";
import { parts } from "./parts.ts";
import { Random } from "./random.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { long: { type: "boolean", default: false }, seed: { type: "string" }, seconds: { type: "string" } },
});
const unknown = positionals.filter((name) => !(name in parts));
const seed = values.seed === undefined ? crypto.getRandomValues(new Uint32Array(1))[0]! : Number(values.seed);
if (unknown.length > 0 || !Number.isInteger(seed)) {
  if (unknown.length > 0)
    console.error(`There is no ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}.`);
  else console.error(`--seed takes an integer, not ${values.seed}.`);
  process.exit(2);
}

process.env.TOLLGATE_TEST_DATABASE_URL ||= await startPostgres();
const effort = { ...(values.long ? long : short) };
if (values.seconds !== undefined) {
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) {
    console.error(`--seconds takes a number greater than 0, not ${values.seconds}.`);
    process.exit(2);
  }
  Object.assign(effort, { moneySeconds: seconds, soakSeconds: seconds, backgroundSeconds: seconds });
}
const chosen = positionals.length > 0 ? positionals : Object.keys(parts);
const began = performance.now();
console.log(`torture, ${values.long ? "long" : "short"}, seed ${seed}`);
for (const name of chosen) {
  const started = performance.now();
  console.log(name);
  try {
    await parts[name]!({ random: new Random(seed), effort, report: (text) => console.log(`  ${text}`) });
  } catch (error) {
    // Of a property, the cause is the expectation that failed.
    for (let cause = error; cause !== undefined; cause = cause instanceof Error ? cause.cause : undefined)
      console.error(cause instanceof Error ? cause.stack : cause);
    console.error(
      `BROKEN: ${name}. To repeat it: npm run torture -- ${name}${values.long ? " --long" : ""} --seed ${seed}`,
    );
    process.exit(1);
  }
  console.log(`  kept, in ${seconds(started)} s`);
}
console.log(`All promises were kept, in ${seconds(began)} s. Seed ${seed}.`);
process.exit(0);

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
