export interface LogEntry {
  time: number;
  kind: "console" | "build";
  level: "debug" | "info" | "warn" | "error";
  message: string;
  requestId?: string;
}

/** Takes lines without waiting; written behind in groups, and bounded. */
export interface DeploymentLogSink {
  add(deploymentSeq: number, entry: LogEntry): void;
}
