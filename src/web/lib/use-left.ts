import { useEffect, useRef } from "react";

/** Whether the component has left the page. What it began may end later, when its reader is somewhere else. */
export function useLeft(): { readonly current: boolean } {
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  return left;
}
