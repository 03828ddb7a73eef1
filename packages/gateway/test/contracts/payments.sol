// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token with six decimals whose `transfer` returns nothing, as Tether's does.
contract Token {
    string public name = "Test Dollar";
    string public symbol = "USDT";
    uint8 public decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        totalSupply = 1_000_000_000_000;
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function transfer(address to, uint256 value) public {
        require(balanceOf[msg.sender] >= value, "balance");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }

    /// Several transfers in one transaction.
    function transferToAll(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) transfer(to[i], value);
    }
}

/// Says that it moved money, and moved none.
contract LookAlike {
    string public symbol = "USDT";
    uint8 public decimals = 6;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

/// Pays on, as exchanges and smart wallets do.
contract Forwarder {
    function pay(address payable to) public payable {
        (bool ok, ) = to.call{value: msg.value}("");
        require(ok, "refused");
    }

    function payAndRevert(address payable to) external payable {
        pay(to);
        revert("changed its mind");
    }

    /// The inner payment is undone, the transaction succeeds.
    function tryToPay(address payable to) external payable {
        try this.payAndRevert{value: msg.value}(to) {} catch {}
    }
}
