// A value that tells when it changes.

export class Signal<T> {
  private readonly listeners: ((value: T) => void)[] = [];

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    this.emit();
  }

  /** Tells all listeners, for values that were changed in place. */
  emit(): void {
    for (const listener of this.listeners) listener(this.current);
  }

  /** Calls after every change. */
  changed(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }

  /** Calls now and after every change. */
  watch(listener: (value: T) => void): void {
    this.changed(listener);
    listener(this.current);
  }
}
