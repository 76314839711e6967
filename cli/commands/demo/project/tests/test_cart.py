import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_single_article(self) -> None:
        cart = Cart()
        cart.add("mug", 850)
        self.assertEqual(cart.total(), 850)

    def test_bulk_discount_starts_at_ten(self) -> None:
        cart = Cart()
        cart.add("pencil", 120, quantity=10)
        self.assertEqual(cart.total(), 1020)

    def test_rounding_favours_the_customer(self) -> None:
        cart = Cart()
        cart.add("sticker", 33, quantity=11)
        self.assertEqual(cart.total(), 308)


if __name__ == "__main__":
    unittest.main()
