import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Info, Lock, type LucideIcon, RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { codeOf, messageOf, statusOf } from "../lib/errors.ts";
import { Button } from "./button.tsx";
import { useShownErrors } from "./shown-errors.tsx";

const icons = { error: CircleAlert, warning: TriangleAlert, success: CircleCheck, info: Info };

export function Notice({ kind = "info", children }: { kind?: keyof typeof icons; children: ReactNode }) {
  const Icon = icons[kind];
  return (
    <div className="notice" data-kind={kind} role={kind === "error" ? "alert" : undefined}>
      <Icon size={16} aria-hidden />
      <div>{children}</div>
    </div>
  );
}

/** The error of a request, without the errors that the fields of the form show themselves. */
export function ErrorNotice({ error }: { error: unknown }) {
  const message = messageOf(error, useShownErrors());
  if (message === undefined) return null;
  return (
    <Notice kind="error">
      {message} <AboutError error={error} />
    </Notice>
  );
}

/** In the console: what the code of an error means, and what to do. */
function AboutError({ error }: { error: unknown }) {
  const code = codeOf(error);
  if (!code || !statusOf(error) || !window.location.pathname.startsWith("/console")) return null;
  return <GuideLink guide={`errors#${code.replaceAll("_", "-")}`}>About this error</GuideLink>;
}

interface LoadErrorProps {
  error: unknown;
  /** For what is not read by a query. */
  onRetry?: () => void;
  /** A link to the list, if the resource does not exist. */
  back?: ReactNode;
}

/** Shown instead of a page or table that could not be loaded. "Try again" reads everything on the page again that has failed. */
export function LoadError({ error, onRetry, back }: LoadErrorProps) {
  const queries = useQueryClient();
  const readAgain = () =>
    queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
  const status = statusOf(error);
  const isForbidden = status === 403;
  const Icon = isForbidden ? Lock : CircleAlert;
  return (
    <div className="empty" role="alert">
      <Icon size={20} aria-hidden />
      <h2>{isForbidden ? "Not allowed" : status === 404 ? "Not found" : "This could not be loaded"}</h2>
      <p>{status === 404 ? "It does not exist, or was deleted." : messageOf(error)}</p>
      {status !== 404 && <AboutError error={error} />}
      {status === 404
        ? back
        : !isForbidden && (
            <Button icon={RotateCw} onClick={onRetry ?? readAgain}>
              Try again
            </Button>
          )}
    </div>
  );
}

/** Shown instead of what a query has not read: its error, or lines while it is loading. */
export const NotLoaded = ({ of: { error }, lines }: { of: { error: unknown }; lines?: number }) =>
  error ? <LoadError error={error} /> : <SkeletonLines count={lines} />;

/** A link to a page of the server's guides, which portals do not have. */
function GuideLink({ guide, children }: { guide: string; children: string }) {
  return (
    <a className="guide-link" href={`/docs/guides/${guide}`} target="_blank" rel="noopener">
      {children}
    </a>
  );
}

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** In the console: the guide about it. */
  guide?: string;
}

/** The purpose of a resource in one sentence, and the first step. */
export function EmptyState({ icon: Icon, title, children, action, guide }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon size={20} aria-hidden />
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
      {guide && <GuideLink guide={guide}>Read the guide</GuideLink>}
    </div>
  );
}

/** A placeholder for a line of text. Widths vary so that it looks like text. */
export function Skeleton({ width = 120 }: { width?: number }) {
  return <span className="skeleton" style={{ width }} aria-hidden />;
}

export function SkeletonBadge() {
  return (
    <span className="badge">
      <Skeleton width={48} />
    </span>
  );
}

/** A placeholder for a page with title, tabs and first card. */
export function SkeletonPage({ title }: { title?: string }) {
  return (
    <div aria-busy="true">
      <div className="page-head">
        <div>
          {title ? <h1>{title}</h1> : <Skeleton width={160} />}
          <p>
            <Skeleton width={260} />
          </p>
        </div>
      </div>
      <div className="tabs-list tabs-skeleton">
        {[48, 56, 64, 72].map((width) => (
          <Skeleton key={width} width={width} />
        ))}
      </div>
      <div className="card">
        <SkeletonLines />
      </div>
    </div>
  );
}

export function SkeletonLines({ count = 4 }: { count?: number | undefined }) {
  return (
    <div className="stack" aria-busy="true">
      <span className="visually-hidden" role="status">
        Loading
      </span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
        <Skeleton key={index} width={220 + ((index * 83) % 160)} />
      ))}
    </div>
  );
}
