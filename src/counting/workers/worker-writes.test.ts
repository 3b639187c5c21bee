import { expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { HeldTimers } from "../../../test/support/held-timers.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { makeDeployment } from "../../../test/support/traffic.ts";
import { createKeyBucket } from "../../areas/api-keys/key-buckets/key-buckets.ts";
import type { Verdict } from "../../areas/api-keys/keys/verification/verifier.ts";
import { TrafficCounter } from "../../areas/insight/analytics/traffic-counter.ts";
import { TrafficWriter } from "../../areas/insight/analytics/traffic-writer.ts";
import { VerificationCounter } from "../../areas/insight/analytics/verification-counter.ts";
import { VerificationWriter } from "../../areas/insight/analytics/verification-writer.ts";
import { RequestRecorder, requestWrite } from "../../areas/insight/request-log/request-recorder.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import { NamedWrite, namedWorkOf } from "../../platform/storage/named-write.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { WorkerWrites } from "./worker-writes.ts";

const workerCount = 3;
/** As long as writes wait for those of other workers. */
const waitMilliseconds = 50;

eachEngine((engine) => {
  const storage = useStorage(engine);

  const scene = (writes: NamedWrite<never, unknown>[]) => {
    let transactions = 0;
    const counted: Storage = {
      ...storage.open,
      write(work) {
        transactions += 1;
        return storage.open.write(work);
      },
    };
    const now = () => storage.clock.now();
    const primary = new WorkerWrites({ storage: counted, writes, now, workerCount: () => workerCount });
    /** The storage of a worker, which sends its writes to the primary. */
    const worker = (): Storage => {
      const writer = crypto.randomUUID();
      let number = 0;
      return {
        ...storage.open,
        async write(work) {
          const { name, data } = namedWorkOf(work)!;
          const response = await primary.apply(name, { writer, number: ++number, data: structuredClone(data()) });
          if ("result" in response) return response.result as never;
          throw new StorageUnavailable(response.failure);
        },
      };
    };
    return { primary, workers: Array.from({ length: workerCount }, worker), transactions: () => transactions };
  };

  /** Adds numbers to a row. A negative one cannot be written. */
  const adding = () => {
    const subject = crypto.randomUUID();
    const add = async (transaction: Parameters<NamedWrite<number>["apply"]>[0], amount: number) => {
      await transaction.run(
        `INSERT INTO rate_limits (scope, subject, window_start, ends_on, used) VALUES ('test', ?, 0, 1, ?)
          ON CONFLICT (scope, subject, window_start) DO UPDATE SET used = rate_limits.used + excluded.used`,
        [subject, amount],
      );
      if (amount < 0) throw new Error("a negative amount");
    };
    const write = new NamedWrite<number>("add", add, {
      merging: {
        rows: (amount) => amount,
        async apply(transaction, amounts) {
          for (const amount of amounts) await add(transaction, amount);
        },
      },
    });
    const stored = async () =>
      (await storage.open.reads.one<{ used: number }>("SELECT used FROM rate_limits WHERE subject = ?", [subject]))
        ?.used;
    return { write, stored };
  };

  test("writes of all workers are one transaction, and a repeated one is applied once", async () => {
    const { write, stored } = adding();
    const { primary, transactions } = scene([write]);
    const send = (writer: string, number: number, data: number) => primary.apply("add", { writer, number, data });
    const responses = await Promise.all([send("a", 1, 1), send("b", 1, 10), send("c", 1, 100)]);
    expect(responses).toEqual([{ result: null }, { result: null }, { result: null }]);
    expect(transactions()).toBe(1);
    expect(await stored()).toBe(111);

    // Sent again over a new connection, in one case together with the next write of the same worker.
    const again = await Promise.all([send("b", 1, 10), send("c", 2, 200), send("c", 2, 200)]);
    expect(again).toEqual([{ result: null }, { result: null }, { result: null }]);
    expect(transactions()).toBe(2);
    expect(await stored()).toBe(311);
  });

  test("a write waits for the other workers for a moment only", async () => {
    const { write, stored } = adding();
    const { primary } = scene([write]);
    using timers = new HeldTimers(waitMilliseconds);
    const response = primary.apply("add", { writer: crypto.randomUUID(), number: 1, data: 5 });
    expect(await stored()).toBeUndefined();
    expect(timers.pending).toBe(1);
    timers.expire();
    expect(await response).toEqual({ result: null });
    expect(await stored()).toBe(5);
  });

  test("large writes do not wait, and are not merged", async () => {
    const { write, stored } = adding();
    const { primary, transactions } = scene([write]);
    using timers = new HeldTimers(waitMilliseconds);
    const send = (data: number) => primary.apply("add", { writer: crypto.randomUUID(), number: 1, data });
    expect(await send(5_000)).toEqual({ result: null });
    expect(timers.pending).toBe(0);
    await Promise.all([send(600), send(600), send(1), send(1)]);
    expect(transactions()).toBe(3);
    expect(await stored()).toBe(6_202);
  });

  test("a write that fails does not fail those of other workers", async () => {
    const { write, stored } = adding();
    const { primary } = scene([write]);
    const send = (data: number) => primary.apply("add", { writer: crypto.randomUUID(), number: 1, data });
    const responses = await Promise.all([send(1), send(-1), send(100)]);
    expect(responses[0]).toEqual({ result: null });
    expect(responses[1]).toMatchObject({ failure: expect.stringContaining("negative"), isUnavailable: false });
    expect(responses[2]).toEqual({ result: null });
    expect(await stored()).toBe(101);
    expect(await primary.apply("unknown", { writer: "d", number: 1, data: 1 })).toMatchObject({ isUnavailable: false });
  });

  test("the requests of workers are counted and recorded as those of one process", async () => {
    const now = storage.clock.now();
    const { account, version } = await makeDeployment(storage.open, `written-${crypto.randomUUID().slice(0, 8)}`, now);
    const bucket = await storage.open.write((transaction) =>
      createKeyBucket(transaction, { account, actor: "test", now }, { name: "main" }),
    );
    const { reads } = storage.open;
    const primaryTraffic = new TrafficWriter(storage.open, storage.clock, new TrafficCounter());
    const primaryVerifications = new VerificationWriter(storage.open, storage.clock, new VerificationCounter());
    const { workers, transactions } = scene([
      requestWrite,
      primaryTraffic.transferred,
      primaryVerifications.transferred,
    ]);
    const flushes = workers.map((worker, index) => {
      const traffic = new TrafficCounter();
      const verifications = new VerificationCounter();
      const recorder = new RequestRecorder(worker, { isOn: true, days: 7, share: 0.01, failed: () => {} });
      const served = { accountSeq: version.accountSeq, deploymentSeq: version.deploymentSeq, versionSeq: 1 };
      for (let request = 0; request < 10; request++) {
        const route = { route: { path: `/route-${request % 2}` } };
        traffic.count(version, route, `consumer-${index % 2}`, undefined, undefined, 200, false, 1, 1, 5, now);
        verifications.count(bucket.seq, { known: undefined, rejection: "invalid" } as unknown as Verdict, now);
        if (recorder.takes(served, false, now))
          recorder.add(served, { ...record, time: now, path: `/worker-${index}/${request}` });
      }
      const trafficWriter = new TrafficWriter(worker, storage.clock, traffic);
      const verificationWriter = new VerificationWriter(worker, storage.clock, verifications);
      return {
        recorder,
        flush: [() => recorder.flush(), () => trafficWriter.flush(), () => verificationWriter.flush()],
      };
    });
    for (const step of [0, 1, 2]) await Promise.all(flushes.map(({ flush }) => flush[step]!()));
    expect(transactions()).toBe(3);
    for (const { recorder } of flushes) await recorder.stop();

    const { deploymentSeq } = version;
    const total = async (sql: string, parameters: unknown[] = [deploymentSeq]) =>
      Number((await reads.one<{ total: number }>(sql, parameters))?.total);
    // Each worker may record 4 of a second.
    expect(await total("SELECT COUNT(*) AS total FROM requests WHERE deployment_seq = ?")).toBe(12);
    expect(await total("SELECT successes AS total FROM omitted_requests WHERE deployment_seq = ?")).toBe(18);
    const bytes = await total("SELECT SUM(bytes) AS total FROM requests WHERE deployment_seq = ?");
    expect(await total("SELECT bytes AS total FROM request_sizes WHERE deployment_seq = ?")).toBe(bytes);
    for (const detail of [0, 1, 2, 3])
      expect(
        await total(
          "SELECT SUM(requests) AS total FROM traffic WHERE deployment_seq = ? AND detail = ? AND step = 60000",
          [deploymentSeq, detail],
        ),
      ).toBe(30);
    expect(
      await total(
        "SELECT SUM(amount) AS total FROM verifications WHERE bucket_seq = ? AND step = 60000 AND detail = 0",
        [bucket.seq],
      ),
    ).toBe(30);
  });
});

const record = {
  requestId: "id",
  method: "GET",
  route: undefined,
  status: 200,
  consumer: undefined,
  durationMs: 1,
  decisions: [],
};
