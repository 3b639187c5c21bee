import { expect, test } from "bun:test";
import { eachEngine } from "../../test/support/engines.ts";
import { useStorage } from "../../test/support/storage.ts";
import { Problem } from "../core/problems/problem.ts";
import { Keyring } from "../lib/crypto/keyring.ts";
import { fingerprintOf, Idempotency, type IdempotentWork } from "./idempotency.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);
  const node = () => new Idempotency(storage.open, new Keyring([Buffer.alloc(32)]));
  const requestOf = (key: string, body: string) => ({
    credential: "token",
    key,
    fingerprint: fingerprintOf("/clock", "", body),
    now: storage.clock.now(),
  });
  const workOf = (before: () => Promise<void>): IdempotentWork => ({
    before,
    beforeCommits: true,
    work: async () => ({ status: 200, type: "json", headers: {}, body: "moved" }),
    problemResponse: ({ status, code }) => ({ status, type: "json", headers: {}, body: code }),
  });

  test("another request with the key of a request that commits in steps on another node has no effect", async () => {
    let effects = 0;
    const other = workOf(async () => {
      effects += 1;
    });
    const response = await node().run(
      requestOf("one", "first"),
      workOf(async () => {
        const rejected = node().run(requestOf("one", "second"), other);
        expect(await rejected.catch((error) => error.code)).toBe("idempotency_key_reused");
      }),
    );
    expect(response).toMatchObject({ status: 200, body: "moved" });
    expect(effects).toBe(0);
  });

  test("a request that fails between its steps continues when it is repeated, and is then replayed", async () => {
    let steps = 0;
    const work = workOf(async () => {
      steps += 1;
      if (steps === 2) throw new Problem("not_a_test_bucket");
      if (steps === 1) throw new Problem("not_found");
    });
    const run = () => node().run(requestOf("two", "first"), work);
    expect(await run().catch((error) => error.code)).toBe("not_found");
    expect(await run().catch((error) => error.code)).toBe("not_a_test_bucket");
    expect((await run()).headers).toEqual({});
    expect(await run()).toMatchObject({ body: "moved", headers: { "idempotency-replayed": "true" } });
    expect(steps).toBe(3);
  });
});
