// Labels that must not meet: each takes the first of its places that is free.
export interface Area {
  x: number; // left
  y: number; // top
  width: number;
  height: number;
}

export class Taken {
  private readonly areas: Area[] = [];
  constructor(private readonly whole: Area) {}

  isFree(area: Area): boolean {
    const {whole} = this;
    if (area.x < whole.x || area.y < whole.y || area.x + area.width > whole.x + whole.width) return false;
    if (area.y + area.height > whole.y + whole.height) return false;
    return !this.areas.some((other) => {
      const isBeside = area.x >= other.x + other.width || other.x >= area.x + area.width;
      return !isBeside && area.y < other.y + other.height && other.y < area.y + area.height;
    });
  }

  add(area: Area): void {
    this.areas.push(area);
  }

  // The index of the place taken; -1: none is free.
  takeFirst(places: Area[]): number {
    const found = places.findIndex((place) => this.isFree(place));
    if (found >= 0) this.add(places[found]);
    return found;
  }
}
