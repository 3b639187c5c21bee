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
export function SkeletonPage({ title, hasTabs = true }: { title?: string; hasTabs?: boolean }) {
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
      {hasTabs && (
        <div className="tabs-list tabs-skeleton">
          {[48, 56, 64, 72].map((width) => (
            <Skeleton key={width} width={width} />
          ))}
        </div>
      )}
      <div className="card">
        <SkeletonLines />
      </div>
    </div>
  );
}

export function SkeletonLines({ count = 4 }: { count?: number }) {
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
