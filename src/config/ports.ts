interface HostAndPort {
  host: string;
  port: number;
}

/** The part of the configuration with the addresses of listeners. */
interface ListenConfig extends HostAndPort {
  gatewayListener: HostAndPort | undefined;
  httpListener: HostAndPort | undefined;
}

interface Address extends HostAndPort {
  /** The settings of those addresses. */
  portSetting: string;
  hostSetting: string;
}

/**
 * Returns a sentence for each port that two listeners would share. Settings with errors are skipped, because they have
 * a default value.
 */
export function equalPortErrors(config: ListenConfig, settingErrors: readonly string[]): string[] {
  const addresses = addressesOf(config).filter((address) => !hasError(address, settingErrors));
  return addresses.flatMap(({ host, port, portSetting }, index) => {
    const other = addresses.slice(0, index).find((one) => port !== 0 && one.port === port && overlap(one.host, host));
    return other ? [`${portSetting} and ${other.portSetting} must differ, not both be ${port}.`] : [];
  });
}

/**
 * Returns a sentence for each configured address at which the server cannot listen, after a short attempt. Addresses of
 * settings with errors are skipped.
 */
export function listenErrors(config: ListenConfig, settingErrors: readonly string[]): string[] {
  return addressesOf(config)
    .filter((address) => !hasError(address, settingErrors))
    .flatMap((address) => tryToListen(address) ?? []);
}

function hasError({ portSetting, hostSetting }: Address, settingErrors: readonly string[]): boolean {
  return settingErrors.some((error) => error.startsWith(`${portSetting} `) || error.startsWith(`${hostSetting} `));
}

const everyInterface = ["0.0.0.0", "::"];
const loopback = ["localhost", "127.0.0.1", "::1"];

/** Whether listeners at the two hosts conflict on the same port. */
function overlap(one: string, other: string): boolean {
  const isAmbiguous = [one, other].includes("localhost") && loopback.includes(one) && loopback.includes(other);
  return one === other || isAmbiguous || everyInterface.includes(one) || everyInterface.includes(other);
}

function addressesOf({ host, port, gatewayListener, httpListener }: ListenConfig): Address[] {
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

/** Explains an error of listening at a port. Returns undefined for an error of another kind. */
function explainListenError(error: unknown, { host, port, portSetting, hostSetting }: Address): string | undefined {
  const { code, syscall, message } = error as { code?: string; syscall?: string; message?: string };
  if (code === "EADDRINUSE")
    return `port ${port} on ${host} is in use by another program. Stop that program, or set ${portSetting} to another port.`;
  if (code === "EACCES" && syscall === "listen")
    return `this user may not listen on port ${port} on ${host}. Set ${portSetting} to 1024 or higher.`;
  if (code === "EADDRNOTAVAIL" || message === `Failed to listen at ${host}`)
    return `this machine has no address ${host} to listen on. Set ${hostSetting} to an address of this machine, or to 0.0.0.0 for all.`;
  return undefined;
}
