/** An error or warning at a position in the project. Lines and columns count from 1. */
export interface BuildMessage {
  file: string;
  line: number;
  column: number;
  message: string;
}

/**
 * The part of an artifact in which a secret is used: an upstream, as in the artifact, the options of a policy, or a
 * provider of models.
 */
export type SecretUse = { upstream: string } | { policy: string } | { provider: string };

/**
 * Where a project uses a secret. An invalid value is detected only when a version starts, which has no access to files.
 */
export type SecretPlace = SecretUse & Omit<BuildMessage, "message">;

/** The result of the builder: an artifact, or the errors that prevent it. */
export interface BuildReport {
  /** The step that failed, or undefined. */
  failedStep?: "unpack" | "validate" | "build";
  /** The duration of each step in milliseconds, as far as it was reached. */
  durations: { unpack?: number; validate?: number; build?: number };
  warnings: BuildMessage[];
  /** Empty if there is an artifact. Errors of the archive as a whole have an empty file and line 0. */
  errors: BuildMessage[];
  /** The text of an Artifact. */
  artifact?: string;
  /** The pages for people. Both in base64: the gzipped JSON of SiteContents, and the files. */
  site?: { contents: string; pack: string };
  /** Only if the artifact uses secrets. */
  secretPlaces?: SecretPlace[];
}
