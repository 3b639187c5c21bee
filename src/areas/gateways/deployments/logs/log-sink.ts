export interface LogEntry {
  time: number;
  kind: "console" | "build";
  level: "debug" | "info" | "warn" | "error";
  message: string;
  requestId?: string;
}

/** Accepts lines synchronously. They are written asynchronously in batches, and bounded. */
export interface DeploymentLogSink {
  add(deploymentSeq: number, entry: LogEntry): void;
}
