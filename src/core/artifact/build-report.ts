/** A place in the project and what is wrong there. Lines and columns count from 1. */
export interface BuildMessage {
  file: string;
  line: number;
  column: number;
  message: string;
}

/** What of an artifact a secret is used in: an upstream, as the artifact has it, or the options of a policy. */
export type SecretUse = { upstream: string } | { policy: string };

/** Where a project uses a secret. A value that does not fit is noticed only at the start, which knows no files. */
export type SecretPlace = SecretUse & Omit<BuildMessage, "message">;

/** What the builder returns: an artifact, or what keeps it from being made. */
export interface BuildReport {
  /** The step that failed, undefined if none did. */
  failedStep?: "unpack" | "validate" | "build";
  /** Milliseconds that each step took, as far as they were reached. */
  durations: { unpack?: number; validate?: number; build?: number };
  warnings: BuildMessage[];
  /** Empty if there is an artifact. Errors of the archive as a whole have an empty file and line 0. */
  errors: BuildMessage[];
  /** The text of an Artifact. */
  artifact?: string;
  /** Of an artifact that uses secrets. */
  secretPlaces?: SecretPlace[];
}
