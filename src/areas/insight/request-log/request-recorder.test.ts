import { beforeAll, expect, test } from "bun:test";
import { recordingStatements } from "../../../../test/support/counted-statements.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { createAccount } from "../../access/accounts/accounts.ts";
import { deleteDeployment, deploymentOfBranch } from "../../gateways/deployments/deployments.ts";
import { isFailure, type RequestRecord, type Served } from "./request-record.ts";
import { PendingRequests, RequestRecorder } from "./request-recorder.ts";
import { listRequests } from "./requests.ts";
import { requestSizes } from "./store.ts";

const day = 24 * 60 * 60 * 1000;

const recordAt = (time: number, status: number, path = "/a"): RequestRecord => ({
  time,
  requestId: "id",
  method: "GET",
  path,
  route: undefined,
  status,
  consumer: undefined,
  durationMs: 1,
  decisions: [],
});

eachEngine((engine) => {
  const storage = useStorage(engine);
  let act: Parameters<typeof deploymentOfBranch>[1];
  beforeAll(async () => {
    const now = storage.clock.now();
    const account = await storage.open.write((transaction) =>
      createAccount(transaction, { actor: "test", now }, "recording"),
    );
    act = { account, actor: "test", now };
  });
  const failed = (error: unknown) => {
    throw error;
  };
  const serve = async (branch: string): Promise<Served & { name: string }> => {
    const { seq, name } = await storage.open.write((transaction) =>
      deploymentOfBranch(transaction, act, "project", branch),
    );
    return { accountSeq: act.account.seq, deploymentSeq: seq, versionSeq: 1, name };
  };
  const listed = async ({ accountSeq, deploymentSeq }: Served) =>
    (await listRequests(storage.open.reads, { accountSeq, deploymentSeq }, { limit: 10_000 }, storage.clock.now()))
      .data;
  const add = (recorder: RequestRecorder, served: Served, record: RequestRecord) => {
    if (recorder.takes(served, isFailure(record.status), record.time)) recorder.add(served, record);
  };

  test("nothing is written for deployments without requests to remove", async () => {
    const recorder = new RequestRecorder(storage.open, { isOn: true, days: 2, failed });
    const now = storage.clock.now();
    for (let index = 0; index < 20; index++) add(recorder, await serve(`recent-${index}`), recordAt(now, 200));
    await recorder.stop();
    const { storage: recorded, statements } = recordingStatements(storage.open);
    await new RequestRecorder(recorded, { isOn: true, days: 2, failed }).trim(now);
    expect(statements).toHaveLength(3);
  });

  test("requests are kept for the days that are configured", async () => {
    const served = await serve("aged");
    const recorder = new RequestRecorder(storage.open, { isOn: true, days: 2, failed });
    const now = storage.clock.now();
    add(recorder, served, recordAt(now - 2 * day - 1, 200, "/old"));
    add(recorder, served, recordAt(now - 2 * day, 200, "/kept"));
    await recorder.flush();
    await recorder.trim(now);
    expect((await listed(served)).map(({ path }) => path)).toEqual(["/kept"]);
    await recorder.stop();
  });

  test("a flood of failures evicts older failures, and no success", async () => {
    const served = await serve("flooded");
    const bounds = { deploymentBytes: 100_000, accountBytes: 1_000_000 };
    const recorder = new RequestRecorder(storage.open, { isOn: true, days: 7, bounds, failed });
    const now = storage.clock.now();
    add(recorder, served, recordAt(now, 200, "/success"));
    for (let second = 0; second < 5; second++) {
      for (let at = 0; at < 200; at++) add(recorder, served, recordAt(now + second * 1000, 404, `/${second}-${at}`));
      await recorder.flush();
    }
    await recorder.trim(now + 5000);
    const paths = (await listed(served)).map(({ path }) => path);
    expect(paths).toContain("/success");
    expect(paths).toContain("/4-199");
    expect(paths).not.toContain("/0-0");
    const sizes = await requestSizes(storage.open.reads);
    const failures = sizes.find((size) => size.deployment_seq === served.deploymentSeq && size.is_failure === 1)!;
    expect(failures.bytes).toBeLessThanOrEqual(100_000);
    expect(failures.bytes).toBeGreaterThan(95_000);
    await recorder.stop();
  });

  test("the requests of a deleted deployment are removed", async () => {
    const served = await serve("deleted");
    const recorder = new RequestRecorder(storage.open, { isOn: true, days: 7, failed });
    for (let at = 0; at < 450; at++) add(recorder, served, recordAt(storage.clock.now(), 200));
    await recorder.flush();
    await storage.open.write((transaction) => deleteDeployment(transaction, act, served.name, () => {}));
    await recorder.trim(storage.clock.now());
    for (const table of ["requests", "request_sizes", "omitted_requests"])
      expect(
        await storage.open.reads.all(`SELECT * FROM ${table} WHERE deployment_seq = ?`, [served.deploymentSeq]),
      ).toEqual([]);
    await recorder.stop();
  });
});

test("successes and failures have separate rates, and requests above them are counted by minute", () => {
  const pending = new PendingRequests();
  const served = { accountSeq: 1, deploymentSeq: 2, versionSeq: 3 };
  const start = 60_000 * 1000;
  let taken = 0;
  for (let at = 0; at < 500; at++) taken += Number(pending.takes(served, false, start));
  for (let at = 0; at < 300; at++) taken += Number(pending.takes(served, true, start + 1));
  expect(taken).toBe(600);
  for (let at = 0; at < 201; at++) taken += Number(pending.takes(served, true, start + 60_000));
  expect(taken).toBe(800);
  expect(pending.take().omitted).toEqual([
    { accountSeq: 1, deploymentSeq: 2, minute: start, successes: 100, failures: 100 },
    { accountSeq: 1, deploymentSeq: 2, minute: start + 60_000, successes: 0, failures: 1 },
  ]);
});
