import { started, stopped } from "./left-running.ts";
import { Proxies } from "./proxies.ts";
import { Tomcat } from "./tomcat.ts";

/**
 * Path parsing of other servers than nginx and Tomcat. Each runs in Node and responds with `x-served`, the path that it would serve.
 */
const readers = {
  /** Like Express: ignores case and a trailing slash. */
  express: "(path) => path.toLowerCase()",
  /** Like static file servers on Linux: decodes, merges slashes, resolves dot segments. */
  files: "(path) => posix.normalize(decodeURIComponent(path))",
  /** Like Windows: backslashes are slashes; case and trailing dots or spaces of names are ignored. */
  windows: `(path) => win32.normalize(decodeURIComponent(path)).replaceAll("\\\\", "/").toLowerCase()
    .split("/").map((name) => name.replace(/[. ]+$/, "")).join("/")`,
  /** Like Java frameworks that remove path parameters after decoding. */
  spring: `(path) => posix.normalize(decodeURIComponent(path).replace(/;[^/]*/g, ""))`,
  /** Like a decoding proxy before a decoding server. */
  twice: "(path) => posix.normalize(decodeURIComponent(decodeURIComponent(path)))",
};

const source = `
import { createServer } from "node:http";
import { posix, win32 } from "node:path";
const readers = { ${Object.entries(readers).map(([name, reader]) => `${name}: ${reader}`)} };
const ports = {};
for (const [name, read] of Object.entries(readers)) {
  const server = createServer((request, response) => {
    let served;
    try { served = read(request.url.split("?")[0]).replace(/(.)[/]$/, "$1"); } catch { response.statusCode = 400; }
    if (served !== undefined) response.setHeader("x-served", encodeURI(served));
    response.end("done");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  ports[name] = server.address().port;
}
console.log(JSON.stringify(ports));
`;

export type UpstreamKind = keyof typeof readers | "nginx" | "tomcat";

/** Real servers that normalise paths before they route. */
export class NormalisingUpstreams {
  private constructor(
    private readonly node: Bun.Subprocess,
    private readonly proxies: Proxies,
    private readonly tomcat: Tomcat,
    readonly ports: Readonly<Record<UpstreamKind, number>>,
  ) {}

  static async start(): Promise<NormalisingUpstreams> {
    const node = Bun.spawn(["node", "--input-type=module", "-e", source], { stdout: "pipe", stderr: "inherit" });
    const reader = node.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const proxies = await Proxies.open();
    const nginx = await proxies.nginxServing(`location / { add_header x-served $uri always; return 200 "done"; }`);
    const tomcat = await Tomcat.start();
    const ports = { ...JSON.parse(new TextDecoder().decode(value)), nginx, tomcat: tomcat.port };
    const upstreams = new NormalisingUpstreams(node, proxies, tomcat, ports);
    started(upstreams, "upstreams that normalise paths");
    return upstreams;
  }

  async stop(): Promise<void> {
    stopped(this);
    this.node.kill();
    await this.node.exited;
    await this.proxies.close();
    await this.tomcat.stop();
  }
}
