import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { sqlite } from "../../../../test/support/engines.ts";
import {
  audience,
  IdentityProvider,
  newSigningKey,
  type SigningKey,
  sign,
} from "../../../../test/support/identity-provider.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { JwtVerifier } from "../../../platform/jwt/jwt-verifier.ts";

const server = useServer(sqlite);
const { clock } = server;
const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
let provider: IdentityProvider;
let key: SigningKey;
let deployed: Deployed;

beforeAll(async () => {
  clock.set(new Date().toISOString());
  key = await newSigningKey("first");
  provider = await IdentityProvider.start([key]);
  const jwt = { type: "jwt", options: { issuer: provider.issuer, audience, algorithms: ["RS256"] } };
  const guarded = (policy: string) => ({ "x-tollgate": { policies: [policy] } });
  deployed = await deploy(
    server,
    { project: "cached", branch: "main" },
    {
      "openapi.json": openApi({ "/one": guarded("one"), "/two": guarded("two") }),
      "tollgate.json": { upstream: upstream.url.origin, policies: { one: jwt, two: jwt } },
    },
  );
});
afterAll(async () => {
  await provider.stop();
  await upstream.stop(true);
});

const send = async (path: string, token: string) =>
  (await deployed.call(path, { headers: { authorization: `Bearer ${token}` } })).status;

/** A token that is valid for some seconds. */
const lasting = (seconds: number) =>
  sign(key, provider.issuer, clock.now(), { claims: { exp: Math.floor(clock.now() / 1000) + seconds } });

test("a flood of bad signatures with a known key causes one fetch in 30 s", async () => {
  const stranger = await newSigningKey("first");
  const forged = await Promise.all(
    Array.from({ length: 20 }, (_, at) => sign(stranger, provider.issuer, clock.now(), { claims: { at } })),
  );
  expect(await send("/one", await lasting(600))).toBe(200);
  clock.advance(30_000);
  const before = provider.fetches;
  expect(new Set(await Promise.all(forged.map((token) => send("/one", token))))).toEqual(new Set([401]));
  expect(provider.fetches).toBe(before + 1);
  clock.advance(29_999);
  for (const token of forged) expect(await send("/one", token)).toBe(401);
  expect(provider.fetches).toBe(before + 1);
  clock.advance(1);
  expect(await send("/one", forged[0]!)).toBe(401);
  expect(provider.fetches).toBe(before + 2);
});

test("a verified token is cached by its policy for 300 s, and not longer than it is valid", async () => {
  const verify = spyOn(JwtVerifier.prototype, "verify");
  try {
    const token = await lasting(3600);
    const verifications = async (path: string, used: string) => {
      const before = verify.mock.calls.length;
      expect(await send(path, used)).toBe(200);
      return verify.mock.calls.length - before;
    };
    expect(await verifications("/one", token)).toBe(1);
    expect(await verifications("/one", token)).toBe(0);
    expect(await verifications("/two", token)).toBe(1);
    clock.advance(299_999);
    expect(await verifications("/one", token)).toBe(0);
    clock.advance(1);
    expect(await verifications("/one", token)).toBe(1);
    expect(await verifications("/one", token)).toBe(0);

    const short = await lasting(100);
    expect(await verifications("/one", short)).toBe(1);
    // 100 s and the accepted clock skew of 30 s.
    clock.advance(129_000);
    expect(await verifications("/one", short)).toBe(0);
    clock.advance(1_001);
    expect(await send("/one", short)).toBe(401);
  } finally {
    verify.mockRestore();
  }
});
