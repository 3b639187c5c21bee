import type { ConsoleLine, SandboxFailure, SandboxOptions } from "../protocol.ts";

/** A process of the server that uses sandboxes. */
export interface SandboxUser {
  release: string;
  isPrimary: boolean;
}

/** Code to run. */
export type SharedCode = Pick<SandboxOptions, "id" | "code" | "environment">;

export interface EncodedFailure {
  reason: SandboxFailure["reason"];
  message: string;
}

/** Where code runs. The socket identifies the process. */
interface RunningAt {
  socket: string;
  processId: number;
}

/** The user chooses the number of a use. */
export type ToHost =
  | readonly ["hello", SandboxUser]
  /** Starts the code, unless it runs. The response is a StartResponse. */
  | readonly ["start", use: number, SharedCode]
  /** Ends the use. The response comes when the process has ended, if it was the last use. */
  | readonly ["stop", use: number, milliseconds: number];

export type StartResponse = RunningAt | { failure: EncodedFailure };

export type ToUser =
  | readonly ["ended", use: number, socket: string, EncodedFailure]
  | readonly ["console", use: number, ConsoleLine]
  /** Asks how many milliseconds the code has been idle. A user that returns at least `least` releases the process. */
  | readonly ["idle", use: number, least: number];
