import type { CodeConnection } from "./code-connection.ts";
import type { SandboxFailure } from "./protocol.ts";

/** A process with the code of a version, to which requests can be sent. */
export interface RunningCode {
  readonly connection: CodeConnection;
  /** Whether it has ended or is about to end. */
  readonly isOver: boolean;
  /** Resolves with the reason of its end. Never rejects. */
  readonly ended: Promise<SandboxFailure>;
}

/** Runs the code of one version: in a process, and in another one when that has ended. */
export interface CodeRunner {
  readonly current: RunningCode | undefined;
  readonly processIds: number[];
  /** The id of an environment, if other processes of the server send requests to the same code. */
  environmentId(environment: Record<string, string>): string | undefined;
  /** One start at a time for all callers. Rejects with a SandboxFailure. */
  start(): Promise<RunningCode>;
  /** Called when no request waits for a response to begin. Lets responses end, at most for this long. */
  stop(milliseconds: number): Promise<void>;
}
