import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    project_variables: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      project: string;
      name: string;
      /** A JSON array of `production`, `preview` and names of branches. */
      environments: string;
      /** Null for a secret. */
      value: string | null;
      /** Null for a plain variable. */
      sealed: Uint8Array | null;
      /** 1 if a caller with limited access set it last. */
      is_limited: Generated<number>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Only if it is not `main`. */
    production_branches: { account_seq: number; project: string; branch: string };
    deployments: {
      seq: Generated<number>;
      account_seq: number;
      /** Also the host name of the deployment. */
      name: string;
      project: string;
      branch: string;
      /** The hexadecimal digits at the end of the name. */
      code: string;
      message: string;
      active_version_seq: number | null;
      /** The version that `deploy` builds again. */
      source_seq: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    deployment_builds: {
      seq: Generated<number>;
      /** The status id, and the name of the archive. */
      id: string;
      deployment_seq: number;
      state: string;
      /** The hash of the secret in the upload address. Null if the source already existed. */
      upload_hash: Uint8Array | null;
      upload_until: number;
      source_seq: number | null;
      steps: string;
      result: string | null;
      /** 1 if the version gets no traffic when it is built. */
      is_staged: Generated<number>;
      /** The actor that requested the build, as JSON, and its description of the version. */
      author: string;
      note: string | null;
      /** 1 if the build must not become production, nor change the production branch. */
      is_preview_only: Generated<number>;
      /** 1 if the caller's access was limited, or that of the caller who uploaded the source. */
      is_limited: Generated<number>;
      /** The node that runs the build, and when its lease expires. */
      worker: string | null;
      worker_until: number | null;
      attempts: number;
      version: number;
      created_on: number;
      updated_on: number;
    };
    deployment_sources: {
      seq: Generated<number>;
      deployment_seq: number;
      /** 1 if a caller with limited access uploaded or promoted it. */
      is_limited: Generated<number>;
      created_on: number;
    };
    deployment_source_chunks: {
      source_seq: number;
      position: number;
      data: Uint8Array;
    };
    deployment_artifacts: {
      deployment_seq: number;
      /** SHA-256 of the data, in hex. */
      hash: string;
      data: string;
    };
    /** The pages of an artifact for people. */
    deployment_sites: {
      deployment_seq: number;
      artifact_hash: string;
      /** SiteContents as JSON, gzipped. */
      contents: Uint8Array;
      /** The files of the site, one after the other. */
      pack: Uint8Array;
    };
    deployment_versions: {
      seq: Generated<number>;
      id: string;
      deployment_seq: number;
      /** The number from 1, in the order of builds. */
      number: number;
      build_id: string;
      source_seq: number | null;
      artifact_hash: string;
      artifact_bytes: number;
      routes: number;
      created_on: number;
      /** 1 until it is live for the first time, if it was built without traffic. */
      is_staged: Generated<number>;
      author: string;
      note: string | null;
    };
    /** The canary release of a deployment: the running one, or the last one. */
    deployment_canaries: {
      deployment_seq: number;
      id: string;
      version_seq: number;
      version_number: number;
      live_version_seq: number;
      live_version_number: number;
      weight: number;
      live_weight: number;
      sticky_by: string | null;
      /** JSON. Null if it is never aborted automatically. */
      abort: string | null;
      started_on: number;
      updated_on: number;
      /** Null while it runs. */
      ended_on: number | null;
      outcome: string | null;
    };
    /** The requests of both versions of the canary release, from its start and by second. */
    canary_counts: {
      deployment_seq: number;
      is_canary: number;
      /** When the second began. 0 for the total since the start. */
      second: number;
      requests: number;
      errors: number;
      /** A LatencyHistogram. Only in the total. */
      latency: Uint8Array | null;
    };
    deployment_logs: {
      seq: Generated<number>;
      id: string;
      deployment_seq: number;
      time: number;
      kind: string;
      entry: string;
      /** The approximate size of the line in storage. */
      bytes: number;
    };
    /** The total size of the lines of a deployment. */
    deployment_log_sizes: {
      deployment_seq: number;
      bytes: number;
    };
  }
}
