import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ArrowDown, Pause, Play } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { DeploymentLogLine, LogKind } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { optionsOf } from "../../../components/field.tsx";
import { FilterSelect } from "../../../components/filter-select.tsx";
import { LoadError, Notice, SkeletonLines } from "../../../components/notice.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { formatDateTime, formatMs } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";

const route = getRouteApi("/frame/deployments/$name");
const maxLines = 2000;

/** The newest lines, followed by new ones. */
export function DeploymentLog({ name }: { name: string }) {
  const { kind } = route.useSearch();
  return <Lines key={`${name} ${kind}`} name={name} kind={kind as LogKind | undefined} />;
}

function Lines({ name, kind }: { name: string; kind: LogKind | undefined }) {
  const { api } = useSession();
  const navigate = useNavigate();
  const [isLive, setLive] = useState(true);
  const [fresh, setFresh] = useState<DeploymentLogLine[]>([]);
  const [lost, setLost] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
  const start = useRead(
    ["deployment", name, "log", kind],
    (api, { signal }) => api.deployments.logs(name, { limit: 500, kind, signal }),
    { gcTime: 0, refetchOnWindowFocus: false },
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: the other values are recreated with each name and kind
  useEffect(() => {
    if (!isLive) return;
    const abort = new AbortController();
    const onOpen = () => setLost(undefined);
    const onLost = () => setLost("The connection was lost; reconnecting.");
    (async () => {
      try {
        for await (const line of api.deployments.followLogs(name, { kind, signal: abort.signal, onOpen, onLost }))
          setFresh((lines) => [...lines.slice(1 - maxLines), line]);
      } catch (error) {
        if (!abort.signal.aborted) setLost(messageOf(error));
      }
    })();
    return () => abort.abort(new DOMException("left", "AbortError"));
  }, [isLive]);

  const known = new Set(start.data?.map(({ id }) => id));
  const lines = [...(start.data ?? []), ...fresh.filter(({ id }) => !known.has(id))].slice(-maxLines);
  const stayAtEnd = () => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  // Before it is painted: what the browser shows in between would count as scrolled away from the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when a line was added
  useLayoutEffect(stayAtEnd, [lines.at(-1)?.id]);
  // Wrapped lines that were not rendered yet are taller than estimated.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element exists as long as the log
  useEffect(() => {
    if (!content.current) return;
    const resized = new ResizeObserver(stayAtEnd);
    resized.observe(content.current);
    return () => resized.disconnect();
  }, [start.isError]);

  if (start.error) return <LoadError error={start.error} />;
  return (
    <div className="stack stack-tight">
      <div className="row row-between row-wrap">
        <FilterSelect
          label="Kind"
          all="Everything"
          isNarrow
          value={kind}
          options={optionsOf({ access: "Requests", console: "Console output", build: "Builds" })}
          onChange={(next) => navigate({ to: ".", search: { tab: "logs", kind: next }, replace: true })}
        />
        <span className="row">
          <Button icon={isLive ? Pause : Play} onClick={() => setLive(!isLive)}>
            {isLive ? "Pause" : "Follow"}
          </Button>
          <Button
            icon={ArrowDown}
            onClick={() => {
              isAtEnd.current = true;
              stayAtEnd();
            }}
          >
            Jump to end
          </Button>
        </span>
      </div>
      {lost && <Notice kind="warning">{lost}</Notice>}
      <section
        className="log"
        ref={box}
        aria-label="Log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused element scrolls by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          // Only a user scrolls up.
          const isNear = scrollHeight - scrollTop - clientHeight < 24;
          isAtEnd.current = isNear || (isAtEnd.current && scrollTop >= lastTop.current);
          lastTop.current = scrollTop;
        }}
      >
        <div ref={content}>
          {!start.data && <SkeletonLines />}
          {start.data && lines.length === 0 && <p className="log-line muted">There are no log lines yet.</p>}
          {lines.map((line) => (
            <div className="log-line" data-level={line.level} key={line.id}>
              <time dateTime={line.time} title={formatDateTime(line.time)}>
                {line.time.slice(11, 23)}
              </time>
              <span>{line.level}</span>
              <span>{textOf(line)}</span>
            </div>
          ))}
        </div>
      </section>
    </div>
  );
}

function textOf({ kind, message, method, path, status, durationMs, consumer }: DeploymentLogLine): string {
  if (kind !== "access" || status === undefined) return message;
  const who = consumer ? ` ${consumer}` : "";
  return `${method} ${path} ${status}${durationMs === undefined ? "" : ` ${formatMs(durationMs)}`}${who}`;
}
