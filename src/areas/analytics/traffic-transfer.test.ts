import { expect, test } from "bun:test";
import { TrafficCounter } from "./traffic-counter.ts";
import { trafficTransfer } from "./traffic-transfer.ts";

const version = { accountSeq: 1, deploymentSeq: 2, versionSeq: 3 };

function encoded() {
  const counter = new TrafficCounter();
  counter.count(version, undefined, "acme", "key_1", "cli", 200, false, 10, 20, 5, 60_000, "csmr_1");
  return structuredClone(trafficTransfer.encode(counter.take())) as [number, { cells: unknown[][] }[]][];
}

function cellsIn(minutes: unknown) {
  const [minute] = trafficTransfer.decode(minutes);
  return [...minute!.routes.values()].flatMap(({ consumers }) => consumers.get("acme")!.get("key_1")!);
}

test("counts of a worker arrive in the primary", () => {
  const expected = { consumerId: "csmr_1", client: "cli", status: 200, requests: 1, bytesIn: 10, bytesOut: 20 };
  expect(cellsIn(encoded())).toMatchObject([expected]);
});

test("counts of a worker of 0.1.0, which has no clients and no ids of consumers, arrive too", () => {
  const [[, [{ cells }]]] = encoded() as [[number, [{ cells: unknown[][] }]]];
  const latency = cells[0]!.find((value) => value instanceof Uint8Array);
  const released = ["acme", "key_1", 200, 1, 0, 0, 10, 20, latency];
  const expected = { consumerId: "", client: "", status: 200, requests: 1, bytesIn: 10, bytesOut: 20 };
  expect(cellsIn([[60_000, [{ version, path: "/", cells: [released] }]]])).toMatchObject([expected]);
});
