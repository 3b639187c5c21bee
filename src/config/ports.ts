import type { Config } from "./config.ts";

interface Address {
  host: string;
  port: number;
  /** The settings that choose them. */
  portSetting: string;
  hostSetting: string;
}

/**
 * Why the server could not listen at its configured addresses: a sentence for each address, each tried for a moment. Addresses of settings
 * with errors are left out: a default stands in for them.
 */
export function listenErrors(config: Config, settingErrors: readonly string[]): string[] {
  const errors: string[] = [];
  const tried = new Map<string, string>();
  for (const address of addressesOf(config)) {
    const { host, port, portSetting } = address;
    if (settingErrors.some((error) => error.startsWith(`${portSetting} `))) continue;
    const other = port === 0 ? undefined : tried.get(`${host} ${port}`);
    tried.set(`${host} ${port}`, portSetting);
    const error = other ? `${portSetting} and ${other} must differ, not both be ${port}.` : tryToListen(address);
    if (error !== undefined) errors.push(error);
  }
  return errors;
}

function addressesOf({ host, port, gatewayListener, httpListener }: Config): Address[] {
  const hostSetting = gatewayListener && gatewayListener.host !== host ? "TOLLGATE_GATEWAY_HOST" : "TOLLGATE_HOST";
  return [
    { host, port, portSetting: "TOLLGATE_PORT", hostSetting: "TOLLGATE_HOST" },
    ...(gatewayListener ? [{ ...gatewayListener, portSetting: "TOLLGATE_GATEWAY_PORT", hostSetting }] : []),
    ...(httpListener ? [{ ...httpListener, portSetting: "TOLLGATE_HTTP_PORT", hostSetting }] : []),
  ];
}

function tryToListen(address: Address): string | undefined {
  try {
    const { host: hostname, port } = address;
    Bun.listen({ hostname, port, exclusive: true, socket: { data() {} } }).stop(true);
    return undefined;
  } catch (error) {
    return explainListenError(error, address);
  }
}

/** Undefined if it is an error of another kind. */
function explainListenError(error: unknown, { host, port, portSetting, hostSetting }: Address): string | undefined {
  const { code, syscall, message } = error as { code?: string; syscall?: string; message?: string };
  if (code === "EADDRINUSE")
    return `port ${port} on ${host} is in use by another program. Stop that one, or set ${portSetting} to another port.`;
  if (code === "EACCES" && syscall === "listen")
    return `this user may not listen on port ${port} on ${host}. Set ${portSetting} to one from 1024 on.`;
  if (code === "EADDRNOTAVAIL" || message === `Failed to listen at ${host}`)
    return `this machine has no address ${host} to listen on. Set ${hostSetting} to one that it has, or to 0.0.0.0 for all.`;
  return undefined;
}
