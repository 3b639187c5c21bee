/** A place in the project and what is wrong there. Lines and columns count from 1. */
export interface BuildMessage {
  file: string;
  line: number;
  column: number;
  message: string;
}

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
}
