import { alignDown, steps } from "../src/areas/insight/analytics/steps.ts";
import { type Detail, detail, TrafficCounts, trafficTable } from "../src/areas/insight/analytics/traffic.ts";
import { openBenchStorage } from "./storage.ts";

const days = 31;
const routes = 20;
const statuses = [200, 404, 429, 503];
const consumers = 200;

/** Writes a month of traffic into the storage of a stopped server, so that its only deployment has had so many requests. */
export async function seedTraffic(dataDirectory: string, requests: number): Promise<void> {
  const storage = await openBenchStorage(dataDirectory);
  try {
    const sql = "SELECT seq, account_seq FROM deployments";
    const deployment = (await storage.reads.one<{ seq: number; account_seq: number }>(sql, []))!;
    const ofDeployment = { account_seq: deployment.account_seq, deployment_seq: deployment.seq };
    for (const { milliseconds: step } of [steps["1h"], steps["1d"]]) {
      const perStep = (requests / days / steps["1d"].milliseconds) * step;
      const rows = Object.values(detail).map((each) => ({ detail: each, rows: rowsOf(each, perStep) }));
      const now = alignDown(Date.now(), step);
      for (let time = now - days * steps["1d"].milliseconds; time <= now; time += step)
        await storage.write(async (transaction) => {
          for (const { detail, rows: some } of rows) {
            const place = { ...ofDeployment, step, time, detail };
            await trafficTable.writeRows(
              transaction,
              some.map((row) => ({ place, ...row })),
            );
          }
        });
    }
  } finally {
    await storage.close();
  }
}

function rowsOf(each: Detail, requests: number) {
  const keys = statuses.flatMap((status) => {
    if (each === detail.totals) return [{ version: 1, status, route: "", consumer: "" }];
    const ofRoutes = Array.from({ length: routes }, (_, index) => ({
      version: 1,
      status,
      route: `/things/${index}/{id}`,
      consumer: "",
    }));
    if (each === detail.routes) return ofRoutes;
    return Array.from({ length: consumers }, (_, index) => ({
      ...ofRoutes[index % routes]!,
      consumer: `consumer-${index}`,
    }));
  });
  const counts = countsOf(Math.ceil(requests / keys.length));
  return keys.map((key) => ({ key, counts }));
}

/** Latencies around 20 ms, a few of them far from it. */
function countsOf(requests: number): TrafficCounts {
  const counts = new TrafficCounts();
  counts.requests = requests;
  counts.rejected = Math.round(requests / 100);
  counts.errors = Math.round(requests / 1000);
  counts.bytesIn = requests * 100;
  counts.bytesOut = requests * 1000;
  for (let each = 0; each < requests; each += 1) {
    const spread = Math.sqrt(-2 * Math.log((each + 0.5) / requests)) * Math.cos(each * 2.4);
    counts.latency.add(20 * Math.exp(0.5 * spread));
  }
  return counts;
}
