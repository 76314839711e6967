"""A cart and what it costs."""

from dataclasses import dataclass, field

from shop.discounts import bulk_discount


@dataclass
class Cart:
    """Lines of a cart: article, price of one in cents, quantity."""

    lines: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, article: str, price: int, quantity: int = 1) -> None:
        self.lines.append((article, price, quantity))

    def total(self) -> int:
        """What the customer pays, in cents."""
        return sum(
            price * quantity - bulk_discount(price, quantity)
            for _, price, quantity in self.lines
        )
