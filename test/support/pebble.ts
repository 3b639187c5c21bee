import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "./certificates.ts";
import { findPebble } from "./find-pebble.ts";
import { freePort } from "./free-port.ts";
import { started, stopped } from "./left-running.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

/**
 * A real ACME server, Let's Encrypt's own for tests, which resolves every host to 127.0.0.1. A proxy in front of it
 * lets a test make it unavailable or limit its rate.
 */
export class Pebble {
  /** Requests that the authority accepted, such as `POST /order-plz`. It rejects some nonces on purpose. */
  readonly requests: string[] = [];
  /** A response of the proxy instead of forwarding. */
  trouble: { status: number; headers?: Record<string, string>; body?: object } | "silence" | undefined;
  readonly #processes: Bun.Subprocess[] = [];

  private constructor(
    private readonly folder: TemporaryFolder,
    /** PEM of the CA for the directory's certificate. */
    readonly authority: string,
    private readonly proxy: Bun.Server<unknown>,
    private readonly ports: { management: number; dnsManagement: number },
  ) {}

  /** Challenges go to this port of each host. */
  static async start(challengePort: number): Promise<Pebble> {
    const folder = await temporaryFolder("pebble");
    const { certificate, key } = makeCertificate(["localhost", "127.0.0.1"]);
    const [port, managementPort, dnsPort, dnsManagementPort] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
    ]);
    const file = (name: string) => join(folder.path, name);
    await writeFile(file("certificate.pem"), certificate);
    await writeFile(file("key.pem"), key);
    const pebble: Pebble = new Pebble(
      folder,
      certificate,
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        tls: { cert: certificate, key },
        fetch: (request) => pebble.#pass(request, port),
      }),
      { management: managementPort, dnsManagement: dnsManagementPort },
    );
    const settings = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: file("certificate.pem"),
      privateKey: file("key.pem"),
      httpPort: challengePort,
      tlsPort: 1,
      ocspResponderURL: "",
      externalAccountBindingRequired: false,
    };
    await writeFile(file("config.json"), JSON.stringify({ pebble: settings }));
    pebble.#run([
      findPebble("pebble-challtestsrv"),
      ...["-dns01", `127.0.0.1:${dnsPort}`, "-management", `127.0.0.1:${dnsManagementPort}`],
      ...["-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", ""],
    ]);
    pebble.#run([
      findPebble("pebble"),
      "-config",
      file("config.json"),
      "-dnsserver",
      `127.0.0.1:${dnsPort}`,
      "-strict",
    ]);
    started(pebble, "pebble");
    const tls = { rejectUnauthorized: false };
    await until(
      () =>
        fetch(`https://127.0.0.1:${port}/dir`, { tls }).then(
          ({ ok }) => ok,
          () => false,
        ),
      {},
    );
    return pebble;
  }

  get directory(): string {
    return `https://127.0.0.1:${this.proxy.port}/dir`;
  }

  /** The number of certificate orders. */
  get orders(): number {
    return this.requests.filter((request) => request === "POST /order-plz").length;
  }

  /** PEM of the CA for the issued certificates. */
  async root(): Promise<string> {
    const url = `https://127.0.0.1:${this.ports.management}/roots/0`;
    return (await fetch(url, { tls: { rejectUnauthorized: false } })).text();
  }

  /** Sets the address of a host for the authority. */
  async resolve(host: string, address: string): Promise<void> {
    const body = JSON.stringify({ host: `${host}.`, addresses: [address] });
    for (const what of ["clear-a", "add-a"]) {
      const { status } = await fetch(`http://127.0.0.1:${this.ports.dnsManagement}/${what}`, { method: "POST", body });
      if (status !== 200) throw new Error(`The DNS server returned ${status}`);
    }
  }

  async stop(): Promise<void> {
    stopped(this);
    await this.proxy.stop(true);
    for (const process of this.#processes) {
      process.kill("SIGKILL");
      await process.exited;
    }
    await this.folder.remove();
  }

  #run(command: string[]): void {
    const env = { PATH: process.env.PATH!, PEBBLE_VA_NOSLEEP: "1", PEBBLE_AUTHZREUSE: "0" };
    this.#processes.push(Bun.spawn(command, { env, stdout: "ignore", stderr: "ignore" }));
  }

  async #pass(request: Request, port: number): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (this.trouble === "silence") return new Promise<Response>(() => {});
    if (this.trouble) {
      const { status, headers, body } = this.trouble;
      return Response.json(body ?? {}, { status, headers: { "content-type": "application/problem+json", ...headers } });
    }
    // With the original Host header, so that pebble's links point here.
    const headers = new Headers(request.headers);
    headers.set("host", `127.0.0.1:${this.proxy.port}`);
    const response = await fetch(`https://127.0.0.1:${port}${pathname}`, {
      method: request.method,
      headers,
      ...(request.method === "POST" ? { body: await request.bytes() } : {}),
      tls: { rejectUnauthorized: false },
    });
    if (response.ok) this.requests.push(`${request.method} ${pathname}`);
    return response;
  }
}
