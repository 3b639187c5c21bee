import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "./certificates.ts";
import { findProxy, type ProxyName } from "./find-proxy.ts";
import { freePort } from "./free-port.ts";
import { started, stopped } from "./left-running.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

const deploy = join(import.meta.dir, "../../deploy");

interface Ports {
  plain: number;
  tls: number;
  nodes: readonly number[];
}

/** A configuration of deploy/, with the ports and files of a test. Everything else stays as it is shipped. */
interface Sample {
  file: string;
  adapt(text: string, ports: Ports, folder: string): string;
  command(program: string, file: string, folder: string): string[];
}

/** Repeats the line of the only node for each node of the test, with the same options. */
function withNodes(
  text: string,
  line: RegExp,
  nodes: readonly number[],
  write: (line: string, index: number) => string,
) {
  const found = line.exec(text)?.[0];
  if (found === undefined) throw new Error(`The configuration has no line ${line}.`);
  const lines = nodes.map((port, index) => write(found.replace("8787", String(port)), index));
  return text.replace(found, lines.join("\n"));
}

const samples: Record<ProxyName, Sample> = {
  haproxy: {
    file: "haproxy.cfg",
    adapt: (text, { plain, tls, nodes }) =>
      withNodes(text, /^ +server tollgate .*$/m, nodes, (line, index) => line.replace("tollgate", `tollgate${index}`))
        .replace("bind :80", `bind 127.0.0.1:${plain}`)
        .replace("bind :443", `bind 127.0.0.1:${tls}`),
    command: (program, file) => [program, "-db", "-f", file],
  },
  nginx: {
    file: "nginx.conf",
    adapt(text, { plain, tls, nodes }, folder) {
      const conf = withNodes(text, /^ +server 127\.0\.0\.1:8787.*;$/m, nodes, (line) => line)
        .replace("listen 80", `listen 127.0.0.1:${plain}`)
        .replace("listen 443", `listen 127.0.0.1:${tls}`);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; events {} http { access_log off;
        ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")} ${conf} }`;
    },
    command: (program, file, folder) => [program, "-p", folder, "-c", file],
  },
  caddy: {
    file: "Caddyfile",
    adapt: (text, { plain, tls, nodes }, folder) =>
      `{
        admin off
        auto_https disable_certs
        http_port ${plain}
        https_port ${tls}
      }
      ${text
        .replace("reverse_proxy 127.0.0.1:8787", `reverse_proxy ${nodes.map((port) => `127.0.0.1:${port}`).join(" ")}`)
        .replace(
          "tollgate.example.com {",
          `tollgate.example.com {\n tls ${folder}/fullchain.pem ${folder}/privkey.pem`,
        )}`,
    command: (program, file) => [program, "run", "--config", file, "--adapter", "caddyfile"],
  },
};

/** The proxies of deploy/ in front of nodes on loopback, as operators install them. */
export class ShippedProxies {
  readonly #processes: Bun.Subprocess[] = [];

  private constructor(private readonly folder: TemporaryFolder) {}

  static async open(): Promise<ShippedProxies> {
    const proxies = new ShippedProxies(await temporaryFolder("shipped-proxies"));
    started(proxies, "Proxies");
    const { certificate, key } = makeCertificate(["tollgate.example.com", "*.api.example.com"]);
    const write = (name: string, text: string) => writeFile(join(proxies.folder.path, name), text);
    await write("fullchain.pem", certificate);
    await write("privkey.pem", key);
    await write("combined.pem", certificate + key);
    return proxies;
  }

  /** Returns the port for TLS. */
  async start(name: ProxyName, nodes: readonly number[]): Promise<number> {
    const { path } = this.folder;
    const { file, adapt, command } = samples[name];
    const ports = { plain: await freePort(), tls: await freePort(), nodes };
    const text = (await readFile(join(deploy, file), "utf8")).replaceAll("/etc/tollgate/tls", path);
    await writeFile(join(path, file), adapt(text, ports, path));
    const child = Bun.spawn(command(findProxy(name), join(path, file), path), {
      cwd: path,
      env: { PATH: process.env.PATH!, HOME: path },
      stdout: "ignore",
      stderr: "pipe",
    });
    this.#processes.push(child);
    const isUp = () =>
      fetch(`http://127.0.0.1:${ports.plain}/`, { redirect: "manual" }).then(
        () => true,
        () => false,
      );
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${await child.stderr.text()}`);
      return isUp();
    });
    return ports.tls;
  }

  async close(): Promise<void> {
    stopped(this);
    for (const child of this.#processes) {
      child.kill("SIGKILL");
      await child.exited;
    }
    await this.folder.remove();
  }
}
