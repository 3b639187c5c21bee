import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { newBucketPath } from "./support/bucket-path.ts";
import { makeCertificate } from "./support/certificates.ts";
import type { Client } from "./support/client.ts";
import { type Database, postgres, sqlite } from "./support/engines.ts";
import { freePort } from "./support/free-port.ts";
import { fullDisk } from "./support/full-disk.ts";
import { adminToken, serverEnvironment } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { runTollgate } from "./support/tollgate-process.ts";
import { until } from "./support/until.ts";

describe("a failed start logs the reason and exits", () => {
  let server: SpawnedServer;
  let database: Database;

  beforeAll(async () => {
    database = await sqlite.migratedDatabase();
    server = await spawnServer(sqlite, { database });
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const serve = (environment: Record<string, string>) => {
    const { TOLLGATE_DATA_DIR: folder } = database.environment;
    return runTollgate(["serve"], serverEnvironment(database, folder!, environment));
  };

  test("the exit code is 1 if another server uses the data directory", async () => {
    const { status, stdout, stderr } = await serve({});
    expect(status).toBe(1);
    expect(stderr).toContain(`is in use by another Tollgate server (process ${server.processId})`);
    expect(stderr).toContain("set TOLLGATE_DATA_DIR to another directory; for several servers set DATABASE_URL");
    expect(stderr).not.toContain("    at ");
    expect(stdout).toBe("");
    expect((await server.client.get("/v1/who-am-i")).status).toBe(200);
  });

  test("the exit code is 1 if the port is in use", async () => {
    const elsewhere = await sqlite.freshDatabase();
    const { port } = new URL(server.url);
    const { status, stderr } = await serve({ TOLLGATE_PORT: port, ...elsewhere.environment });
    expect(status).toBe(1);
    expect(stderr).toBe(
      `Tollgate did not start: port ${port} on 127.0.0.1 is in use by another program. ` +
        "Stop that program, or set TOLLGATE_PORT to another port.",
    );
    await elsewhere.drop();
  });

  test("with 1, if several ports are in use, listing all of them", async () => {
    const elsewhere = await sqlite.freshDatabase();
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const { port } = new URL(server.url);
    const ports = { TOLLGATE_PORT: port, TOLLGATE_GATEWAY_PORT: String(taken.port) };
    const { status, stderr } = await serve({ ...ports, ...elsewhere.environment });
    taken.stop();
    expect(status).toBe(1);
    const line = (number: string, setting: string) =>
      `\n  - Port ${number} on 127.0.0.1 is in use by another program. Stop that program, or set ${setting} to another port.`;
    expect(stderr).toBe(
      `Tollgate did not start:${line(port, "TOLLGATE_PORT")}${line(String(taken.port), "TOLLGATE_GATEWAY_PORT")}`,
    );
    await elsewhere.drop();
  });

  test("with 1, if the port of deployments is in use", async () => {
    const elsewhere = await sqlite.freshDatabase();
    const { port } = new URL(server.url);
    const { status, stderr } = await serve({ TOLLGATE_GATEWAY_PORT: port, ...elsewhere.environment });
    expect(status).toBe(1);
    expect(stderr).toBe(
      `Tollgate did not start: port ${port} on 127.0.0.1 is in use by another program. ` +
        "Stop that program, or set TOLLGATE_GATEWAY_PORT to another port.",
    );
    await elsewhere.drop();
  });

  test.each(["198.51.100.7", "no-such-host.invalid"])("with 1, where this machine is not %s", async (host) => {
    const elsewhere = await sqlite.freshDatabase();
    const { status, stderr } = await serve({ TOLLGATE_HOST: host, ...elsewhere.environment });
    expect(status).toBe(1);
    expect(stderr).toContain(`this machine has no address ${host} to listen on. Set TOLLGATE_HOST`);
    await elsewhere.drop();
  });

  test("with 1, if the database file is invalid, with its path", async () => {
    const elsewhere = await sqlite.freshDatabase();
    const file = `${elsewhere.environment.TOLLGATE_DATA_DIR}/tollgate.db`;
    await Bun.write(file, "x".repeat(8192));
    const { status, stderr } = await serve(elsewhere.environment);
    expect(status).toBe(1);
    expect(stderr).toStartWith(
      `Tollgate did not start: ${file} is not a SQLite database, or it is damaged. Restore a backup with \`tollgate restore FILE\``,
    );
    expect(await Bun.file(file).text()).toBe("x".repeat(8192));
    await elsewhere.drop();
  });

  test.each([
    ["free bytes", "size=64k"],
    ["inodes for the lock", "nr_inodes=3"],
    ["inodes for the journal", "nr_inodes=6"],
  ])("with 1, where the disk has no %s, and not as if another server had it", async (_, limit) => {
    const disk = await fullDisk(limit);
    try {
      const { status, stderr } = await disk.run(
        serverEnvironment(database, disk.path, { TOLLGATE_DATA_DIR: disk.path }),
      );
      expect(stderr).not.toContain("in use by another");
      if (disk.isMounted) expect(stderr).toContain(" is full. Free some space");
      // If a file size limit stops it, the disk still has space.
      else expect(stderr).toMatch(/ (is full\. Free some space|cannot be read or written\. Check the disk)/);
      expect(stderr).toContain(disk.path);
      expect(status).toBe(1);
      expect(existsSync(join(disk.path, "encryption-key"))).toBe(false);
    } finally {
      await disk.remove();
    }
  });

  test("with 1, if the database does not respond, without its password", async () => {
    const { status, stderr } = await serve({ DATABASE_URL: "postgres://user:the-password@127.0.0.1:1/name" });
    expect(status).toBe(1);
    expect(stderr).toStartWith("Tollgate did not start: ");
    expect(stderr).not.toContain("the-password");
    expect(stderr).not.toContain("    at ");
  });

  test("the exit code is 2 if the configuration has errors, and all are listed", async () => {
    const { status, stdout, stderr } = await serve({
      TOLLGATE_PORT: "many",
      TOLLGATE_LOG: "loud",
      TOLLGATE_ADMIN_TOKEN: "short",
      DATABASE_URL: "mysql://host/name",
    });
    expect(status).toBe(2);
    expect(stderr).toStartWith("The configuration has 4 errors:\n");
    for (const name of ["TOLLGATE_PORT", "TOLLGATE_LOG", "TOLLGATE_ADMIN_TOKEN", "DATABASE_URL"])
      expect(stderr).toContain(`  - ${name} must be `);
    expect(stdout).toBe("");
  });

  test("the exit code is 2 if two listeners have one port", async () => {
    const port = String(await freePort());
    const { status, stderr } = await serve({ TOLLGATE_PORT: port, TOLLGATE_GATEWAY_PORT: port });
    expect(stderr).toBe(
      `The configuration has an error:\n  - TOLLGATE_GATEWAY_PORT and TOLLGATE_PORT must differ, not both be ${port}.`,
    );
    expect(status).toBe(2);
  });

  test("with 2, if settings, certificates and ports are invalid, listing all of them", async () => {
    const folder = await temporaryFolder("certificates");
    const file = (name: string) => join(folder.path, name);
    const [good, other, expired] = [
      makeCertificate(["a.test"]),
      makeCertificate(["b.test"]),
      makeCertificate(["c.test"], -1),
    ];
    await Bun.write(file("good.crt"), good.certificate);
    await Bun.write(file("other.key"), other.key);
    await Bun.write(file("expired.crt"), expired.certificate);
    await Bun.write(file("expired.key"), expired.key);
    await Bun.write(file("empty.crt"), "");
    const { port } = new URL(server.url);
    const { status, stdout, stderr } = await serve({
      TOLLGATE_LOG: "loud",
      TOLLGATE_PORT: port,
      TOLLGATE_HTTP_PORT: port,
      TOLLGATE_PUBLIC_URL: "http://manage.example.com",
      TOLLGATE_TLS_CERT: ["good.crt", "expired.crt", "missing.crt", "empty.crt"].map(file).join(","),
      TOLLGATE_TLS_KEY: ["other.key", "expired.key", "missing.key", "other.key"].map(file).join(","),
    });
    expect(status).toBe(2);
    expect(stdout).toBe("");
    const lines = stderr.split("\n");
    expect(lines[0]).toBe("The configuration has 9 errors:");
    for (const expected of [
      `TOLLGATE_TLS_KEY: ${file("other.key")} does not match the certificate of a.test.`,
      `TOLLGATE_TLS_CERT: ${file("expired.crt")} expired on `,
      `TOLLGATE_TLS_CERT: ${file("missing.crt")} cannot be read (ENOENT).`,
      `TOLLGATE_TLS_KEY: ${file("missing.key")} cannot be read (ENOENT).`,
      `TOLLGATE_TLS_CERT: ${file("empty.crt")} contains no PEM certificate.`,
      "TOLLGATE_PUBLIC_URL must begin with https:// if the server uses TLS.",
      'TOLLGATE_LOG must be debug, info, warn or error, not "loud".',
      `Port ${port} on 127.0.0.1 is in use by another program. Stop that program, or set TOLLGATE_PORT to another port.`,
      `TOLLGATE_HTTP_PORT and TOLLGATE_PORT must differ, not both be ${port}.`,
    ])
      expect(lines.filter((line) => line.startsWith(`  - ${expected}`))).toHaveLength(1);
    await folder.remove();
  });
});

test("a setting that is spelled wrong or has no effect causes a warning with its name only", async () => {
  const environment = { TOLLGATE_PROT: "8080-typed", TOLLGATE_ALLOWED_HOSTS: "a.example" };
  const server = await spawnServer(sqlite, { environment });
  const warnings = server.log.filter((line) => line.level === "warn");
  expect(warnings).toMatchObject([
    { msg: "setting has no effect alone", name: "TOLLGATE_ALLOWED_HOSTS", needs: "TOLLGATE_PUBLIC_URL" },
    { msg: "unknown setting; is it a typo?", name: "TOLLGATE_PROT" },
  ]);
  expect(server.output.join("\n")).not.toContain("8080-typed");
  await server.stop();
});

test.each([
  [["version"], 0, packageJson.version],
  [["--version"], 0, packageJson.version],
  [["help"], 0, "Usage: tollgate <command>"],
  [[], 2, "Usage: tollgate <command>"],
  [["sreve"], 2, 'There is no command "sreve"; did you mean "serve"?'],
])("tollgate %p ends with %i", async (command, expected, text) => {
  const { status, stdout, stderr } = await runTollgate(command as string[]);
  expect(status).toBe(expected as number);
  expect(expected === 0 ? stdout : stderr).toContain(text as string);
});

describe("under load", () => {
  /** Sends creates until the server is gone, and records the acknowledged ones. */
  function load(client: Client, bucket: string) {
    const acknowledged: string[] = [];
    const work = async (worker: number) => {
      for (let index = 0; ; index++) {
        const name = `consumer-${worker}-${index}`;
        const response = await client.post(`${bucket}/consumers?with-api-key=true`, { name }).catch(() => undefined);
        if (!response) return;
        expect(response.status).toBe(200);
        acknowledged.push(`${name} ${response.body.apiKeys[0].id}`);
      }
    };
    return { acknowledged, finished: Promise.all(Array.from({ length: 16 }, (_, worker) => work(worker))) };
  }

  async function storedConsumers(client: Client, bucket: string): Promise<string[]> {
    const stored: string[] = [];
    let next: string | undefined = `${bucket}/consumers?include-api-keys=true`;
    let total = 0;
    while (next) {
      const { body, headers } = await client.get(next);
      for (const { name, apiKeys } of body.data) stored.push(`${name} ${apiKeys[0].id}`);
      total = body.total;
      next = /^<([^>]+)>/.exec(headers.get("link") ?? "")?.[1];
    }
    expect(stored).toHaveLength(total);
    return stored;
  }

  /** torture/kill has SIGKILL. */
  test.each([
    ["SIGTERM", sqlite],
    ["SIGINT", postgres],
  ] as const)("%s: what was acknowledged is there after, and nothing else", async (signal, engine) => {
    const database = await engine.migratedDatabase();
    const bucket = newBucketPath();
    const server = await spawnServer(engine, { database });
    const { acknowledged, finished } = load(server.client, bucket);
    await until(() => acknowledged.length >= 100);
    expect(await server.kill(signal)).toBe(0);
    await finished;
    await server.stop();

    const next = await spawnServer(engine, { database });
    expect((await storedConsumers(next.client, bucket)).toSorted()).toEqual(acknowledged.toSorted());
    await next.stop();
    await database.drop();
  });
});

describe("SIGTERM while a request is in progress", () => {
  const body = JSON.stringify({ name: "half-sent" });

  /** The first half of a create request, which the server has begun to read. */
  async function halfRequest(server: SpawnedServer, bucket: string) {
    const { port } = new URL(server.url);
    const received: string[] = [];
    const socket: Socket = connect(Number(port), "127.0.0.1");
    socket.on("data", (data) => received.push(data.toString()));
    socket.on("error", () => {});
    socket.write(
      `POST ${bucket}/consumers HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${adminToken}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // These are sent and read after it.
    for (let round = 0; round < 3; round++) await server.client.get("/v1/who-am-i");
    return { socket, received, finish: () => socket.write(body.slice(5)) };
  }

  test("it gets its response, no new ones are accepted, and an idle connection does not delay the exit", async () => {
    const server = await spawnServer(sqlite);
    const request = await halfRequest(server, newBucketPath());
    const idle = await idleConnection(server);
    const ended = server.kill("SIGTERM");
    // As if a parent process forwards the signal too. A different one, because the kernel merges equal pending signals.
    void server.kill("SIGINT");
    await until(() => isRejected(server));
    request.finish();
    await until(() => request.received.join("").includes("half-sent"));
    expect(request.received.join("")).toStartWith("HTTP/1.1 200");
    // A server that waits for the idle connection exits with 1.
    expect(await ended).toBe(0);
    idle.destroy();
    await server.stop();
  });

  test("a later signal does not wait for it", async () => {
    const server = await spawnServer(sqlite);
    const request = await halfRequest(server, newBucketPath());
    let status: number | string | undefined;
    void server.kill("SIGTERM").then((ended) => {
      status = ended;
    });
    await until(() => {
      if (status === undefined) void server.kill("SIGTERM");
      return status !== undefined;
    });
    expect(status).toBe(1);
    request.socket.destroy();
    await server.stop();
  });
});

/** A connection that has got a response. */
async function idleConnection(server: SpawnedServer): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  const received: string[] = [];
  socket.on("data", (data) => received.push(data.toString()));
  socket.on("error", () => {});
  socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await until(() => received.join("").includes("alive"));
  return socket;
}

async function isRejected(server: SpawnedServer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}
