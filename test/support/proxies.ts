import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProxy } from "./find-proxy.ts";
import { freePort } from "./free-port.ts";
import { started, stopped } from "./left-running.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

/** Real proxies on loopback in front of a server on loopback. */
export class Proxies {
  readonly #processes: Bun.Subprocess[] = [];

  private constructor(private readonly folder: TemporaryFolder) {}

  static async open(): Promise<Proxies> {
    const proxies = new Proxies(await temporaryFolder("proxies"));
    started(proxies, "Proxies");
    return proxies;
  }

  /** Returns its port. `forwardedFor` is the value of `X-Forwarded-For`, in nginx's syntax. */
  nginx(upstream: number, forwardedFor: string): Promise<number> {
    const location = `proxy_pass http://127.0.0.1:${upstream}; proxy_http_version 1.1; proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For ${forwardedFor}; proxy_set_header X-Forwarded-Proto https;`;
    return this.nginxServing(`location / { ${location} }`);
  }

  /** Returns its port. `locations` are the locations of its server, in nginx's syntax. */
  async nginxServing(locations: string): Promise<number> {
    const port = await freePort();
    const { path } = this.folder;
    const file = join(path, `nginx-${port}.conf`);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    await writeFile(
      file,
      `daemon off; master_process off; pid ${file}.pid; error_log ${file}.log; events {} http { access_log off;
      ${temporary.map((name) => `${name}_temp_path ${path}/${name};`).join(" ")}
      server { listen 127.0.0.1:${port}; ${locations} } }`,
    );
    return this.#start([findProxy("nginx"), "-p", path, "-c", file], port);
  }

  /** Returns its port. `options` are those of the server line, `rules` lines of the frontend. */
  async haproxy(upstream: number, options: string, rules: string[] = []): Promise<number> {
    const port = await freePort();
    const file = join(this.folder.path, `haproxy-${port}.cfg`);
    const lines = [
      "defaults",
      " mode http",
      " timeout connect 2s",
      " timeout client 5s",
      " timeout server 5s",
      "listen web",
      ` bind 127.0.0.1:${port}`,
      ...rules.map((rule) => ` ${rule}`),
      ` server one 127.0.0.1:${upstream} ${options}`,
      "",
    ];
    await writeFile(file, lines.join("\n"));
    return this.#start([findProxy("haproxy"), "-db", "-f", file], port);
  }

  async close(): Promise<void> {
    stopped(this);
    for (const process of this.#processes) {
      process.kill("SIGKILL");
      await process.exited;
    }
    await this.folder.remove();
  }

  async #start(command: string[], port: number): Promise<number> {
    this.#processes.push(Bun.spawn(command, { cwd: this.folder.path, stdout: "ignore", stderr: "ignore" }));
    await until(() => fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false));
    return port;
  }
}
