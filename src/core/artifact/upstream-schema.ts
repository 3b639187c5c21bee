import { z } from "zod";
import { artifactUpstream } from "./secret-references.ts";
import { tlsFault } from "./upstream-tls.ts";

const url = z.string().transform((text, context) => {
  const origin = artifactUpstream(text);
  if (origin === undefined) {
    context.addIssue({
      code: "custom",
      message:
        "must be an http or https origin, optionally with a base path, such as https://api.example.com/v1: no credentials, query or fragment",
    });
  }
  return origin ?? z.NEVER;
});

const whole = (min: number, max: number) => z.int().min(min).max(max);

const seconds = (min: number, max: number) => z.number().min(min).max(max);

const retryCauses = ["connect", "reset", "502", "503", "504"] as const;

/** Why an attempt failed: before anything was sent, after that without a response, or with this status. */
export type RetryCause = (typeof retryCauses)[number];

/** The methods that are retried by default. */
export const retriedMethods = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"] as const;

const targets = z
  .array(z.strictObject({ url, weight: whole(1, 1000).default(1) }))
  .min(1, "must have at least one target")
  .max(64, "must have at most 64 targets")
  .superRefine((all, context) => {
    const seen = new Set<string>();
    for (const [at, target] of all.entries()) {
      if (seen.has(target.url))
        context.addIssue({ code: "custom", path: [at, "url"], message: "is listed twice: give it a weight instead" });
      seen.add(target.url);
    }
  });

const balanced = z
  .strictObject({
    targets,
    balance: z.enum(["round-robin", "least-requests", "hash"]).default("round-robin"),
    hashBy: z
      .string()
      .regex(
        /^(?:consumer|ip|header:[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100})$/,
        'must be "consumer", "ip" or "header:" and the name of a header',
      )
      .optional(),
    health: z
      .strictObject({
        path: z.string().regex(/^\/[\x21-\x22\x24-\x7e]{0,1999}$/, "must be a path that begins with /"),
        intervalSeconds: seconds(1, 3600).default(10),
        unhealthyAfter: whole(1, 100).default(3),
        healthyAfter: whole(1, 100).default(2),
      })
      .optional(),
    ejection: z
      .strictObject({
        consecutiveErrors: whole(1, 1000).default(5),
        seconds: seconds(1, 3600).default(30),
        maxShare: z.number().gt(0, "must be more than 0").max(1).default(0.5),
      })
      .optional(),
    retries: z
      .strictObject({
        attempts: whole(2, 10).default(2),
        on: z
          .array(z.enum(retryCauses))
          .min(1, "must name at least one cause")
          .default([...retryCauses]),
        methods: z
          .array(z.enum(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "PATCH"]))
          .min(1, "must name at least one method")
          .optional(),
        perTrySeconds: seconds(0.1, 600).optional(),
      })
      .optional(),
    maxConnections: whole(1, 100_000).optional(),
    preserveHost: z.boolean().optional().meta({
      description: "Send the client's Host header to the targets, instead of the host of their URLs.",
    }),
    tls: z
      .strictObject({
        ca: z.string().optional(),
        cert: z.string().optional(),
        key: z.string().optional(),
        serverName: z.string().min(1).max(253, "must be at most 253 characters").optional(),
      })
      .optional(),
  })
  .superRefine(({ targets: all, balance, hashBy, tls }, context) => {
    const issue = (message: string, ...path: (string | number)[]) =>
      context.addIssue({ code: "custom", path, message });
    if (balance === "hash" && hashBy === undefined)
      issue('needs "hashBy", which selects the target of a request', "balance");
    if (balance !== "hash" && hashBy !== undefined) issue('has no effect unless "balance" is "hash"', "hashBy");
    if (!tls) return;
    for (const [at, target] of all.entries())
      if (/^http:/i.test(target.url)) issue('must be https: the upstream has "tls"', "targets", at, "url");
    const fault = tlsFault(tls);
    if (fault) issue(fault.message, "tls", ...(tls[fault.member] === undefined ? [] : [fault.member]));
  });

/** An upstream with its options. */
export type ArtifactUpstream = z.output<typeof balanced>;

export type UpstreamTls = NonNullable<ArtifactUpstream["tls"]>;

/** `upstream` of a project: a URL, or targets with options. A single target without options becomes its URL. */
export const upstreamSchema = z.union(
  [
    url,
    balanced.transform((upstream) => {
      const { targets: all, balance: _, hashBy: __, ...options } = upstream;
      const [only, other] = all;
      return only && !other && Object.keys(options).length === 0 ? only.url : upstream;
    }),
  ],
  "must be a URL, or an object with targets",
);
