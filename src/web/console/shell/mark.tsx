/** The Tollgate logo. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden>
      <rect x="2" y="9" width="4.5" height="9" rx="1.2" fill="currentColor" />
      <rect x="3.4" y="10.2" width="16.5" height="3.4" rx="1.7" transform="rotate(-38 3.4 10.2)" fill="currentColor" />
    </svg>
  );
}
