/** A line of text to come. Widths vary so that it looks like text. */
export function Skeleton({ width = 120 }: { width?: number }) {
  return <span className="skeleton" style={{ width }} aria-hidden />;
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
