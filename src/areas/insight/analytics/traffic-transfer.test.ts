import { expect, test } from "bun:test";
import { TrafficCounter } from "./traffic-counter.ts";
import { trafficTransfer } from "./traffic-writer.ts";

const version = { accountSeq: 1, deploymentSeq: 2, versionSeq: 3 };

function encoded() {
  const counter = new TrafficCounter();
  counter.count(version, undefined, "acme", "key_1", "cli", 200, false, 10, 20, 5, 60_000, "csmr_1");
  return structuredClone(trafficTransfer.encode(counter.minutes.take()));
}

function cellsIn(minutes: unknown) {
  const [minute] = trafficTransfer.decode(minutes);
  return [...minute!.routes.values()].flatMap(({ consumers }) => consumers.get("acme")!.get("key_1")!);
}

test("counts of a worker arrive in the primary", () => {
  const expected = { consumerId: "csmr_1", client: "cli", status: 200, requests: 1, bytesIn: 10, bytesOut: 20 };
  expect(cellsIn(encoded())).toMatchObject([expected]);
});
