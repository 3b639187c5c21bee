import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type RivalServer, startProgram } from "./child-process.ts";
import { progress } from "./progress.ts";
import { findFreePort } from "./server.ts";

/** nginx and its Lua module, as they are called on Debian and Ubuntu. */
const packages = ["nginx-light", "libnginx-mod-http-lua"];
/** Lua's module needs the first. */
const modules = ["ndk_http_module.so", "ngx_http_lua_module.so"];
/** Most users do not have /usr/sbin in their PATH. */
const searchPath = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

/** A limit that no benchmark reaches. */
const plentiful = 1_000_000_000;

export const howToGetNginx = `there is no nginx with Lua: apt-get install ${packages.join(" ")}`;

export interface Nginx {
  readonly program: string;
  readonly modules: string[];
}

/** The installed nginx; installs it if possible. Undefined if that fails. */
export async function findOrInstallNginx(): Promise<Nginx | undefined> {
  const found = await findNginx();
  if (found || process.getuid?.() !== 0 || !Bun.which("apt-get")) return found;
  progress(`installing ${packages.join(" and ")}`);
  const install = Bun.spawn(["sh", "-c", `apt-get update && apt-get install -y ${packages.join(" ")}`], {
    // Debian would start a server on port 80.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  await install.exited;
  return findNginx();
}

export async function findNginx(): Promise<Nginx | undefined> {
  const program = Bun.which("nginx", { PATH: searchPath });
  if (program === null) return undefined;
  const described = await new Response(Bun.spawn([program, "-V"], { stderr: "pipe" }).stderr).text();
  const folder = /--modules-path=(\S+)/.exec(described)?.[1] ?? "";
  const files = modules.map((module) => join(folder, module));
  return files.every((file) => existsSync(file)) ? { program, modules: files } : undefined;
}

interface ProxyOptions {
  readonly upstreamPort: number;
  readonly key?: string;
  /** Whether it also counts a quota and a fixed window of the key's consumer, and logs each request. */
  readonly counts?: boolean;
  /** Files. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/**
 * One worker that forwards to an upstream over keep-alive connections; with a key, only requests that have it. Its counters
 * are in memory alone: they are not durable and no other node knows them.
 */
export async function startNginxProxy(nginx: Nginx, folder: string, options: ProxyOptions): Promise<RivalServer> {
  mkdirSync(folder, { recursive: true });
  const port = findFreePort();
  const file = join(folder, "nginx.conf");
  await Bun.write(file, configuration(nginx, folder, port, options));
  return startProgram([nginx.program, "-e", "stderr", "-p", folder, "-c", file], port);
}

function configuration(
  nginx: Nginx,
  folder: string,
  port: number,
  { upstreamPort, key, counts = false, tls }: ProxyOptions,
): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
${nginx.modules.map((module) => `load_module ${module};`).join("\n")}
# The worker alone, in the process that we started: who ends that has ended all of it.
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  ${counts ? logged(folder) : "access_log off;"}
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  keepalive_requests 1000000000;
  upstream target {
    server 127.0.0.1:${upstreamPort};
    keepalive 128;
    keepalive_requests 1000000000;
  }
  ${key === undefined ? "" : `lua_shared_dict keys 10m;\n  init_by_lua_block { ngx.shared.keys:set("${key}", "bench") }`}
  ${counts ? "lua_shared_dict quotas 10m;\n  lua_shared_dict windows 10m;" : ""}
  server {
    listen 127.0.0.1:${port}${tls ? " ssl" : ""};
    ${tls ? `ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key}; ssl_session_cache shared:tls:10m;` : ""}
    location / {
      ${key === undefined ? "" : checkInLua(counts ? countInLua : "")}
      proxy_pass http://target;
      proxy_http_version 1.1;
      # Bodies of 1 MB stay in memory: through files, as by default, they take two to four times the CPU time.
      client_body_buffer_size 1m;
      proxy_buffers 32 64k;
      proxy_busy_buffers_size 128k;
      proxy_max_temp_file_size 0;
      proxy_set_header Connection "";
    }
  }
}
`;
}

const checkInLua = (more: string) => `access_by_lua_block {
        local credential = ngx.var.http_authorization
        local consumer = credential and ngx.shared.keys:get(credential:sub(8))
        if not consumer then return ngx.exit(401) end
        ${more}
      }`;

const countInLua = `local window = consumer .. math.floor(ngx.time() / 3600)
        if ngx.shared.windows:incr(window, 1, 0, 3600) > ${plentiful} then return ngx.exit(429) end
        if ngx.shared.quotas:incr(consumer, 1, 0) > ${plentiful} then return ngx.exit(429) end`;

/** A line of JSON with the fields of ours, in a buffer like ours. */
const logged = (folder: string) => `log_format request escape=json '{"time":"$time_iso8601","level":"info",'
    '"msg":"request","requestId":"$request_id","method":"$request_method","path":"$uri","status":$status,'
    '"durationMs":$request_time,"upstreamMs":"$upstream_response_time","ip":"$remote_addr"}';
  access_log ${folder}/requests.log request buffer=64k flush=1s;`;
