import { FFIType, ptr, read } from "bun:ffi";
import { lookup } from "node:dns/promises";
import { isIPv6 } from "node:net";
import { getSystemErrorName } from "node:util";
import { loadLinuxLibrary } from "../../lib/c-library.ts";
import { AddressBytes } from "../../lib/network/ip-address.ts";

/** Values of Linux, the same on x64 and arm64. */
const linux = { unix: 1, inet: 2, inet6: 10, stream: 1, closeOnExec: 0o2000000, nonBlocking: 0o4000 };
const socketLevel = 1;
const reuseAddress = 2;
const reusePort = 15;
const backlog = 4096;

export interface ListeningSocket {
  descriptor: number;
  port: number;
}

export interface ListenOptions {
  /** Lets several sockets listen at the same port; the kernel distributes connections among them. */
  sharesPort?: boolean;
}

/**
 * Opens a socket that listens and that no process accepts from yet: Bun.listen accepts at once, and a supervisor must
 * not. Linux only.
 */
export async function listenTcp(hostname: string, port: number, options: ListenOptions = {}): Promise<ListeningSocket> {
  const { address } = await lookup(hostname);
  const family = isIPv6(address) ? linux.inet6 : linux.inet;
  const descriptor = listening(family, internetAddress(address, port), { hostname, port }, options);
  return { descriptor, port: portOf(descriptor) };
}

/** Opens a Unix socket that listens, and returns its descriptor. */
export function listenUnix(path: string): number {
  const bytes = Buffer.alloc(110);
  bytes.writeUInt16LE(linux.unix, 0);
  // The kernel's limit is 108 bytes with the final zero.
  if (bytes.write(path, 2, 108) < Buffer.byteLength(path) || Buffer.byteLength(path) > 107)
    throw new Error(`The path of a socket is too long: ${path}`);
  return listening(linux.unix, bytes, { path });
}

export function duplicateDescriptor(descriptor: number): number {
  const copy = libc().dup(descriptor);
  if (copy === -1) throw systemError("dup", {});
  return copy;
}

export function closeDescriptor(descriptor: number): void {
  libc().close(descriptor);
}

function listening(family: number, address: Uint8Array, shown: object, { sharesPort }: ListenOptions = {}): number {
  const { socket, setsockopt, bind, listen, close } = libc();
  const descriptor = socket(family, linux.stream | linux.closeOnExec | linux.nonBlocking, 0);
  if (descriptor === -1) throw systemError("socket", shown);
  // Without it, connections of the former process in TIME_WAIT would prevent a restart. Another listener still does.
  const isOn = ptr(new Int32Array([1]));
  if (family !== linux.unix) setsockopt(descriptor, socketLevel, reuseAddress, isOn, 4);
  if (sharesPort) setsockopt(descriptor, socketLevel, reusePort, isOn, 4);
  const failed = bind(descriptor, ptr(address), address.length) === -1 ? "bind" : undefined;
  const failure = failed ?? (listen(descriptor, backlog) === -1 ? "listen" : undefined);
  if (failure === undefined) return descriptor;
  const error = systemError(failure, shown);
  close(descriptor);
  throw error;
}

/** Returns a `sockaddr_in` or `sockaddr_in6`. */
function internetAddress(address: string, port: number): Uint8Array {
  const isSix = isIPv6(address);
  const bytes = Buffer.alloc(isSix ? 28 : 16);
  bytes.writeUInt16LE(isSix ? linux.inet6 : linux.inet, 0);
  bytes.writeUInt16BE(port, 2);
  const parsed = new AddressBytes();
  if (parsed.parse(address)) bytes.set(parsed.bytes.subarray(0, parsed.length), isSix ? 8 : 4);
  return bytes;
}

function portOf(descriptor: number): number {
  const address = Buffer.alloc(28);
  const length = new Uint32Array([address.length]);
  if (libc().getsockname(descriptor, ptr(address), ptr(length)) === -1) throw systemError("getsockname", {});
  return address.readUInt16BE(2);
}

/** Must be called right after the failed call. */
function systemError(call: string, shown: object): Error {
  const location = libc().__errno_location();
  const errno = location === null ? 0 : read.i32(location);
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`${call} failed: ${code}`), { code, syscall: call, ...shown });
}

let loaded: ReturnType<typeof load> | undefined;

function libc() {
  loaded ??= load();
  return loaded;
}

function load() {
  const { i32, u32 } = FFIType;
  const pointer = FFIType.ptr;
  const symbols = {
    socket: { args: [i32, i32, i32], returns: i32 },
    setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
    bind: { args: [i32, pointer, u32], returns: i32 },
    listen: { args: [i32, i32], returns: i32 },
    getsockname: { args: [i32, pointer, pointer], returns: i32 },
    dup: { args: [i32], returns: i32 },
    close: { args: [i32], returns: i32 },
    __errno_location: { args: [], returns: pointer },
  } as const;
  const library = loadLinuxLibrary(symbols);
  if (library) return library;
  throw new Error("The C library was not found, so sockets cannot be shared between processes.");
}
