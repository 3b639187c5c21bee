import { actionNames, type Round, runRound } from "../../test/support/background-round.ts";
import { BackgroundScene, briefFaults, type Disturbance, stall } from "../../test/support/background-scene.ts";
import type { Engine } from "../../test/support/engines.ts";
import type { Part, Torture } from "../part.ts";
import type { Random } from "../random.ts";

const lanes = 8;
const stepsOfLane = 12;
const disturbancesOfRound = 60;
/** Each is a day, and the periods of the subscriptions are a year. */
const maxRounds = 300;

/** Every background task, again and again, while writes come in; on PostgreSQL over connections that stall and break. */
export const background: Part = async (torture) => {
  // One after the other: in one process, statements of SQLite hold up the transactions of PostgreSQL, whose time is limited.
  for (const engine of ["sqlite", "postgres"] as const) await tortureEngine(engine, torture);
};

async function tortureEngine(engine: Engine["name"], { random, effort, report }: Torture): Promise<void> {
  await using scene = await BackgroundScene.open(engine);
  const branch = random.branch(engine);
  const end = performance.now() + effort.backgroundSeconds * 1000;
  do await runRound(scene, nextRound(branch));
  while (performance.now() < end && scene.figures.rounds < maxRounds);
  const { rounds, requests, unavailable, disturbed, passes } = scene.figures;
  const { recorded, served } = scene.expected;
  report(
    `${engine}: ${rounds} rounds, ${requests} requests during ${passes} passes of all tasks` +
      (disturbed > 0 ? `, ${disturbed} statements disturbed, ${unavailable} responses 503` : "") +
      `; ${recorded} units recorded and ${served} served, each counted once`,
  );
}

function nextRound(random: Random): Round {
  const step = () => ({ action: random.pick(actionNames), choice: random.integer(0, 999) });
  return {
    lanes: Array.from({ length: lanes }, () => Array.from({ length: stepsOfLane }, step)),
    disturbances: Array.from({ length: disturbancesOfRound }, () => disturbance(random)),
  };
}

function disturbance(random: Random): Disturbance {
  const delay = { kind: "delay", milliseconds: random.integer(1, 200) } as const;
  const fault = random.chance(0.05) ? stall : random.pick([delay, delay, ...briefFaults]);
  return { after: random.integer(0, 80), fault };
}
