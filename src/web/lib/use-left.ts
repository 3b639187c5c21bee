import { useEffect, useRef } from "react";

/** Whether the component is unmounted. Its requests may end later, when the user is on another page. */
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
