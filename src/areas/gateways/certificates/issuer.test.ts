import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { eachEngine, postgres } from "../../../../test/support/engines.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { freePort } from "../../../../test/support/free-port.ts";
import { Pebble } from "../../../../test/support/pebble.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { until } from "../../../../test/support/until.ts";
import { Keyring } from "../../../lib/crypto/keyring.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { HttpServer } from "../../../platform/http1/server/http-server.ts";
import { openStorage } from "../../../platform/storage/engines/open.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { Log } from "../../../platform/telemetry/log.ts";
import { Certificates } from "../../../platform/tls/certificates.ts";
import { accountKey, StoredChallenges } from "./acme-account.ts";
import { AcmeDirectory } from "./acme-directory.ts";
import { CertificateIssuer } from "./issuer.ts";

const day = 24 * 60 * 60_000;

let pebble: Pebble;
let challengeServer: HttpServer;
/** The node that responds to challenges. */
let responding: StoredChallenges;

eachEngine((engine) => {
  beforeAll(async () => {
    const port = await freePort();
    challengeServer = new HttpServer({
      address: { hostname: "127.0.0.1", port },
      now: () => 0,
      handle: async ({ target }) => {
        const found = await responding.find(target.split("/").at(-1)!);
        return new HttpResponse(found === undefined ? 404 : 200, new HttpHeaders(), found);
      },
      reject: ({ status }) => new HttpResponse(status),
      onError: () => new HttpResponse(500),
    });
    pebble = await Pebble.start(port);
  });
  afterAll(async () => {
    await pebble?.stop();
    await challengeServer.stop(0);
  });

  const storage = useStorage(engine);
  let clock: FakeClock;
  let wanted: string[];
  let nodes: Node[];

  /** A node of the installation with its certificates only. */
  class Node {
    readonly certificates = new Certificates([], undefined);
    readonly challenges: StoredChallenges;
    readonly issuer: CertificateIssuer;
    log = "";
    #runs = 0;

    constructor(own: Storage, keyring = new Keyring([Buffer.alloc(32, "key")])) {
      this.challenges = new StoredChallenges(own, clock);
      responding = this.challenges;
      const { directory, authority } = pebble;
      this.issuer = new CertificateIssuer({
        storage: own,
        keyring,
        clock,
        log: new Log({ level: "info", readable: false, sink: { write: (text) => (this.log += text) } }),
        directory: new AcmeDirectory({
          directory,
          email: "ops@example.com",
          authority,
          clock,
          challenges: this.challenges,
          accountKey: () => accountKey(own, keyring, directory, clock.now()),
        }),
        certificates: this.certificates,
        wantedHosts: async () => {
          this.#runs += 1;
          return wanted;
        },
      });
      nodes.push(this);
    }

    /** Waits until it has looked for due certificates: a run begins only after the previous one has ended. */
    async looked(): Promise<void> {
      const runs = this.#runs;
      const hasRunTwice = () => {
        this.issuer.wake();
        return this.#runs >= runs + 2;
      };
      await until(hasRunTwice);
    }

    serialOf(host: string): string | undefined {
      const chain = this.certificates.find(host)?.chain;
      return chain && new X509Certificate(chain).serialNumber;
    }

    /** Waits for a certificate other than the one with the serial. */
    async issued(host: string, before?: string): Promise<string> {
      await until(() => ![undefined, before].includes(this.serialOf(host)), { what: () => this.log });
      return this.serialOf(host)!;
    }

    async failed(host: string): Promise<string> {
      return until(() => this.certificates.errors.get(host), { what: () => this.log });
    }
  }

  const rows = () => storage.open.reads.all<Record<string, unknown>>("SELECT * FROM certificates ORDER BY host", []);

  beforeEach(async () => {
    await storage.open.write(async (transaction) => {
      for (const table of ["certificates", "acme_challenges", "acme_accounts"])
        await transaction.run(`DELETE FROM ${table}`, []);
    });
    // The issuer of pebble, which has no other.
    clock = new FakeClock(new Date().toISOString());
    nodes = [];
    wanted = ["manage.example.com"];
    pebble.requests.length = 0;
  });
  afterEach(async () => {
    pebble.trouble = undefined;
    for (const { issuer } of nodes) await issuer.stop();
  });

  describe("an order", () => {
    test("gets a certificate for each host, sealed in storage, and ends", async () => {
      wanted = ["manage.example.com", "API.example.com", "localhost", "10.0.0.1", "", "a.localhost"];
      const node = new Node(storage.open);
      await node.issuer.start();
      await node.issued("manage.example.com");
      await node.issued("api.example.com");
      const certificate = node.certificates.find("api.example.com")!;
      expect(certificate.names).toEqual(["api.example.com"]);
      expect(certificate.issuer).toStartWith("Pebble Intermediate CA");
      expect(node.certificates.show("api.example.com")).toEqual({
        expiresOn: new Date(certificate.notAfter).toISOString(),
        issuer: certificate.issuer,
      });
      const stored = await rows();
      expect(stored.map(({ host }) => host)).toEqual(["api.example.com", "manage.example.com"]);
      for (const row of stored) {
        expect(Buffer.from(row.private_key as Uint8Array).toString("latin1")).not.toContain("PRIVATE KEY");
        expect(row).toMatchObject({ failures: 0, error: null, lease: null });
      }
      expect(await storage.open.reads.all("SELECT * FROM acme_challenges", [])).toEqual([]);
      expect(node.log).not.toContain("PRIVATE KEY");
      await node.looked();
      expect(pebble.orders).toBe(2);
    });

    test("is not repeated by a restart, which loads what there is", async () => {
      const first = new Node(storage.open);
      await first.issuer.start();
      const serial = await first.issued("manage.example.com");
      await first.issuer.stop();
      const second = new Node(storage.open);
      await second.issuer.start();
      expect(second.serialOf("manage.example.com")).toBe(serial);
      await second.issuer.stop();
      expect(pebble.orders).toBe(1);
    });

    test("an order of a host that is not wanted any more is forgotten", async () => {
      wanted.push("gone.example.com");
      const node = new Node(storage.open);
      await node.issuer.start();
      await node.issued("gone.example.com");
      wanted.pop();
      node.issuer.wake();
      await until(() => node.serialOf("gone.example.com") === undefined);
      expect((await rows()).map(({ host }) => host)).toEqual(["manage.example.com"]);
    });

    test("an order that is in progress when the server stops is resumed by the next server", async () => {
      pebble.trouble = "silence";
      const first = new Node(storage.open);
      await first.issuer.start();
      await until(async () => (await rows())[0]?.lease);
      await first.issuer.stop();
      expect(await rows()).toMatchObject([{ lease: null, failures: 0, error: null }]);
      pebble.trouble = undefined;
      const second = new Node(storage.open);
      await second.issuer.start();
      await second.issued("manage.example.com");
    });
  });

  test("certificates are renewed at two thirds of their life, not before", async () => {
    const node = new Node(storage.open);
    await node.issuer.start();
    const first = await node.issued("manage.example.com");
    const issuedOn = Date.now();
    const { notBefore, notAfter } = node.certificates.find("manage.example.com")!;
    const renewal = notBefore + ((notAfter - notBefore) * 2) / 3;
    clock.set(new Date(renewal - 1000).toISOString());
    await node.looked();
    expect(pebble.orders).toBe(1);
    // Pebble uses real time in seconds: a certificate that it issues within the same second would be due as well.
    await until(() => Date.now() >= issuedOn + 1000);
    clock.set(new Date(renewal + 1).toISOString());
    node.issuer.wake();
    expect(await node.issued("manage.example.com", first)).not.toBe(first);
    expect(pebble.orders).toBe(2);
  });

  describe("failures", () => {
    test("a directory that is down is retried after a pause, and the old certificate stays", async () => {
      pebble.trouble = { status: 500 };
      const node = new Node(storage.open);
      await node.issuer.start();
      expect(await node.failed("manage.example.com")).toBe("The authority returned 500");
      expect(await rows()).toMatchObject([{ failures: 1, due_on: clock.now() + 60_000, chain: null, lease: null }]);
      pebble.trouble = undefined;
      clock.advance(59_000);
      await node.looked();
      expect(pebble.requests).toEqual([]);
      clock.advance(1000);
      node.issuer.wake();
      const serial = await node.issued("manage.example.com");

      const { notAfter } = node.certificates.find("manage.example.com")!;
      clock.set(new Date(notAfter - day).toISOString());
      pebble.trouble = { status: 500 };
      node.issuer.wake();
      await node.failed("manage.example.com");
      expect(node.serialOf("manage.example.com")).toBe(serial);
    });

    test("a rejected order has its reason, and does not keep others from theirs", async () => {
      await pebble.resolve("elsewhere.example.com", "127.0.0.9");
      wanted.push("elsewhere.example.com");
      const node = new Node(storage.open);
      await node.issuer.start();
      expect(await node.failed("elsewhere.example.com")).toContain("elsewhere.example.com");
      await node.issued("manage.example.com");
      expect(node.serialOf("elsewhere.example.com")).toBeUndefined();
      expect(await storage.open.reads.all("SELECT * FROM acme_challenges", [])).toEqual([]);
      await pebble.resolve("elsewhere.example.com", "127.0.0.1");
      clock.advance(60_000);
      node.issuer.wake();
      await node.issued("elsewhere.example.com");
      expect(node.certificates.errors.size).toBe(0);
    });

    test("a certificate whose encryption key is lost is ordered again", async () => {
      const first = new Node(storage.open);
      await first.issuer.start();
      const serial = await first.issued("manage.example.com");
      await first.issuer.stop();
      const second = new Node(storage.open, new Keyring([Buffer.alloc(32, "another")]));
      await second.issuer.start();
      expect(await second.issued("manage.example.com", serial)).not.toBe(serial);
    });

    // The statements are those of the tests above; the rest is decided in the process.
    if (engine === postgres) return;

    test("a directory that does not respond", async () => {
      const { directory } = pebble;
      expect(directory).toStartWith("https://127.0.0.1:");
      const unreachable = new AcmeDirectory({
        directory: `https://127.0.0.1:${await freePort()}/dir`,
        email: undefined,
        authority: undefined,
        clock,
        challenges: new StoredChallenges(storage.open, clock),
        accountKey: () => accountKey(storage.open, new Keyring([Buffer.alloc(32)]), "x", 0),
      });
      const signal = new AbortController().signal;
      await expect(unreachable.order("a.example.com", signal)).rejects.toThrow(/^The authority at .* does not respond/);
    });

    test.each([
      ["seconds", () => "7200"],
      ["a date", () => new Date(clock.now() + 7_200_000).toUTCString()],
    ])("a rate limit is respected, with Retry-After in %s", async (_, retryAfter) => {
      pebble.trouble = {
        status: 429,
        headers: { "retry-after": retryAfter() },
        body: { type: "urn:ietf:params:acme:error:rateLimited", detail: "too many certificates" },
      };
      const node = new Node(storage.open);
      await node.issuer.start();
      expect(await node.failed("manage.example.com")).toBe("too many certificates");
      const [row] = await rows();
      expect(Number(row!.due_on) - clock.now()).toBeWithin(7_198_000, 7_201_000);
      pebble.trouble = undefined;
      // Another host would exceed the same limit.
      wanted.push("other.example.com");
      clock.advance(7_190_000);
      await node.looked();
      expect(pebble.orders).toBe(0);
      clock.advance(11_000);
      node.issuer.wake();
      await node.issued("manage.example.com");
      await node.issued("other.example.com");
    });
  });

  if (engine === postgres)
    describe("two nodes", () => {
      test("two nodes that want the same certificate at once order it once, and any of them responds to the challenge", async () => {
        wanted.push("second.example.com");
        const other = await openStorage({ ...storage.options, now: () => clock.now() });
        try {
          const one = new Node(storage.open);
          // The server that was created last responds to all challenges.
          const two = new Node(other);
          await Promise.all([one.issuer.start(), two.issuer.start()]);
          for (const host of wanted) expect(await one.issued(host)).toBe(await two.issued(host));
          expect(pebble.orders).toBe(2);
          const accounts = await storage.open.reads.all("SELECT directory FROM acme_accounts", []);
          expect(accounts).toHaveLength(1);
          await Promise.all([one.issuer.stop(), two.issuer.stop()]);
        } finally {
          await other.close();
        }
      });

      test("one takes over from another whose lease ended", async () => {
        pebble.trouble = "silence";
        const dead = new Node(storage.open);
        await dead.issuer.start();
        await until(async () => (await rows())[0]?.lease);
        const other = await openStorage({ ...storage.options, now: () => clock.now() });
        try {
          pebble.trouble = undefined;
          const two = new Node(other);
          await two.issuer.start();
          await two.looked();
          expect(pebble.orders).toBe(0);
          clock.advance(10 * 60_000);
          two.issuer.wake();
          await two.issued("manage.example.com");
          await two.issuer.stop();
        } finally {
          await dead.issuer.stop();
          await other.close();
        }
        expect(await rows()).toMatchObject([{ failures: 0, error: null, lease: null }]);
      });
    });
});
