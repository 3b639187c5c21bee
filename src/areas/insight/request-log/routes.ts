import { type AreaContext, areaOf } from "../../../api/area.ts";
import { type Input, read, stream } from "../../../api/endpoint.ts";
import { outsideProjects } from "../../../api/project-access.ts";
import { allowsInProject } from "../../../core/access.ts";
import { ifFound } from "../../../core/problems/problem.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Body } from "../../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { isCallerValid } from "../../access/console-sessions/validity.ts";
import { findMeteringBucket } from "../../commerce/metering-buckets/metering-buckets.ts";
import { customerWarnings } from "../../commerce/metering-buckets/shared-customers.ts";
import { findDeployment, findProject, isDeployed } from "../../gateways/deployments/deployments.ts";
import type { LogLine } from "../../gateways/deployments/logs/logs.ts";
import { deploymentLogQuery, logLines } from "../../gateways/deployments/schema.ts";
import { missedLine, newLines, readDeploymentLog } from "./deployment-log.ts";
import type { EventStreamClients, FollowedEvent, OmittedCounts } from "./event-stream-clients.ts";
import { newRequestsFor, type WrittenRequest } from "./follow-requests.ts";
import { presentRequest as present } from "./present.ts";
import { isFailure } from "./request-record.ts";
import type { RequestRecorder } from "./request-recorder.ts";
import { RequestTail } from "./request-tail.ts";
import { findRequest, listRequests, type RequestLogScope, requestOf, type StoredRequest } from "./requests.ts";
import { type RequestQuery, request, requestFeed, requestQuery } from "./schema.ts";

const deploymentPath = "/v1/deployments/{deploymentName}";
const accountPath = "/v1/accounts/{accountName}/requests";

/** Warnings about the customer whose quota rejected the request. */
async function requestWarnings(reads: Reads, accountSeq: number, { consumer, decisions }: StoredRequest) {
  const bucketId = decisions.find(({ type }) => type === "quota" || type === "usage")?.detail?.bucket;
  if (consumer === undefined || bucketId === undefined) return [];
  const bucket = await ifFound(findMeteringBucket(reads, accountSeq, bucketId));
  return bucket ? customerWarnings(reads, bucket, consumer) : [];
}

const listDescription =
  "Newest first, visible within a second. Kept for seven days by default, and within 64 MiB for " +
  "each deployment. At most 400 successes and 200 failures per second of a deployment are recorded; `omitted` counts the others.";

interface RequestServices {
  followers: EventStreamClients;
  requests: RequestRecorder;
}

export function requestLogArea({ storage, history, clock }: AreaContext, { followers, requests }: RequestServices) {
  const now = () => clock.now();
  const tail = new RequestTail(storage.reads, now);
  const feed = async (input: Input<string, RequestQuery, undefined>, scope: RequestLogScope) => {
    const { reads, caller, query } = input;
    const { follow, before: _, limit: __, status: statuses, ...filter } = query;
    if (!follow) {
      const { data, omitted } = await history.read((recorded) =>
        listRequests(recorded, scope, { ...query, statuses }, now()),
      );
      return { body: { data: data.map(present), omitted } };
    }
    const following = {
      accountSeq: scope.accountSeq,
      listen: (receive: (events: FollowedEvent[]) => void) =>
        tail.listen((news) => {
          const { requests, omitted } = newRequestsFor(news, scope, { ...filter, statuses });
          const events = requests.map(requestEvent);
          receive(omitted ? [...events, { text: omittedEvent(omitted), isFailure: false }] : events);
        }),
      leftOut: omittedEvent,
      mayRead: () => mayRead(reads, caller, scope),
    };
    return eventStream(await followers.follow(following));
  };

  /** The same row for every follower, so its text is serialized once. */
  const texts = new WeakMap<WrittenRequest, string>();
  const requestEvent = (writtenRequest: WrittenRequest): FollowedEvent => {
    const text = texts.get(writtenRequest) ?? eventOf("request", writtenRequest.id, present(requestOf(writtenRequest)));
    texts.set(writtenRequest, text);
    return { text, isFailure: isFailure(writtenRequest.status) };
  };

  const mayRead = async (
    reads: Reads,
    caller: Parameters<typeof isCallerValid>[1],
    { deploymentSeq }: RequestLogScope,
  ) =>
    (await isCallerValid(reads, caller, now())) &&
    (deploymentSeq === undefined || (await isDeployed(reads, deploymentSeq)));

  const operations = [
    stream({
      operationId: "listDeploymentRequests",
      method: "GET",
      path: `${deploymentPath}/requests`,
      inAccountOfCaller: true,
      summary: "List the requests to a deployment",
      description: listDescription,
      access: "read",
      query: requestQuery,
      streamType: "text/event-stream",
      response: requestFeed,
      problems: ["too_many_followers"],
      handle: async (input) => {
        const { seq } = await findDeployment(input.reads, input.account.seq, input.params.deploymentName);
        return feed(input, { accountSeq: input.account.seq, deploymentSeq: seq });
      },
    }),
    stream({
      operationId: "listRequests",
      method: "GET",
      path: accountPath,
      summary: "List the requests to all deployments of an account",
      description: listDescription,
      access: "read",
      query: requestQuery,
      streamType: "text/event-stream",
      response: requestFeed,
      problems: ["too_many_followers"],
      handle: (input) => feed(input, { accountSeq: input.account.seq }),
    }),
    read({
      operationId: "getRequest",
      path: `${accountPath}/{requestId}`,
      summary: "Read a request",
      description: "By its Tollgate id (`req_…`). To find it by its `x-request-id`, list with `requestId`.",
      access: "read",
      inProjects: "always",
      response: request,
      handle: async ({ reads, account, caller, params }) => {
        const found = await findRequest(reads, account.seq, params.requestId);
        const project = caller.projects && (await findProject(reads, account.seq, found.deployment));
        if (caller.projects && !allowsInProject("read", caller.projects, project)) throw outsideProjects();
        // They name key buckets, which callers with a role in projects may not read.
        const warnings = caller.projects ? [] : await requestWarnings(reads, account.seq, found);
        const body = { ...present(found), ...(warnings.length > 0 && { warnings }) };
        return { body, revision: { id: found.id, version: 1 }, composed: true };
      },
    }),
    stream({
      operationId: "readDeploymentLog",
      method: "GET",
      path: `${deploymentPath}/logs`,
      area: "Deployments",
      inAccountOfCaller: true,
      summary: "Read the log of a deployment",
      description:
        "Requests, console output and builds: the newest lines, oldest first. Console and build lines are kept for " +
        "seven days, requests as long as in their list. Under heavy traffic lines are dropped, and their number is reported.",
      access: "read",
      query: deploymentLogQuery,
      streamType: "text/event-stream",
      response: logLines,
      problems: ["too_many_followers"],
      handle: async ({ reads, account, caller, params, query }) => {
        const { seq } = await findDeployment(reads, account.seq, params.deploymentName);
        const scope = { accountSeq: account.seq, deploymentSeq: seq };
        if (!query.follow) return { body: { data: (await readDeploymentLog(reads, scope, query)).map(presentLine) } };
        const following = {
          accountSeq: account.seq,
          listen: (receive: (events: FollowedEvent[]) => void) =>
            tail.listen((news) => receive(newLines(news, scope, query.kind).map(lineEvent))),
          leftOut: (counts: OmittedCounts) => lineEvent(missedLine(counts, now())).text,
          mayRead: () => mayRead(reads, caller, scope),
        };
        return eventStream(await followers.follow(following));
      },
    }),
  ];
  return areaOf({ Requests: "Requests to deployments, with the reason of each outcome." }, operations, {
    removals: [(signal) => requests.trim(clock.now(), signal)],
  });
}

function presentLine({ time, ...line }: LogLine) {
  return { ...line, time: formatDateTime(time) };
}

function lineEvent(line: LogLine): FollowedEvent {
  return { text: eventOf("log", line.id, presentLine(line)), isFailure: false };
}

function omittedEvent(counts: OmittedCounts): string {
  return eventOf("omitted", undefined, counts);
}

function eventOf(event: string, id: string | undefined, data: unknown): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function eventStream(events: Body): HttpResponse {
  return new HttpResponse(
    200,
    new HttpHeaders({ "content-type": "text/event-stream", "cache-control": "no-store" }),
    events,
  );
}
