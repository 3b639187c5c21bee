import { FFIType, ptr } from "bun:ffi";
import { loadLinuxLibrary } from "../../../lib/c-library.ts";

const socketLevel = 1;
const attachFilter = 26;

/** A classic BPF program: packets with the flag SYN are dropped, all others pass. It sees them from the TCP header on. */
const instructions = [
  { code: 0x30, yes: 0, no: 0, value: 13 }, // load the byte of the flags
  { code: 0x45, yes: 0, no: 1, value: 0x02 }, // has it SYN?
  { code: 0x06, yes: 0, no: 0, value: 0 }, // drop
  { code: 0x06, yes: 0, no: 0, value: 0xffff_ffff }, // pass
];

/**
 * Makes the kernel ignore new connections at a listening socket, so that its queue can be emptied before it is closed:
 * closing resets connections that wait there, and with them requests that clients have sent. Ignored clients try again
 * after a second, when the port is closed, or served by another process. Does nothing on other systems than Linux.
 */
export function dropNewConnections(descriptor: number): void {
  const library =
    process.platform === "linux" &&
    loadLinuxLibrary({
      setsockopt: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    });
  if (!library) return;
  const filter = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, yes, no, value }] of instructions.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(yes, index * 8 + 2);
    filter.writeUInt8(no, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  }
  // struct sock_fprog: the number of instructions, and a pointer to them.
  const program = Buffer.alloc(16);
  program.writeUInt16LE(instructions.length, 0);
  program.writeBigUInt64LE(BigInt(ptr(filter)), 8);
  library.setsockopt(descriptor, socketLevel, attachFilter, ptr(program), program.length);
}
